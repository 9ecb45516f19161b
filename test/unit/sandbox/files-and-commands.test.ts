import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { underLock } from '../../../src/sandbox/change-lock.ts'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { removeOldFiles } from '../../../src/sandbox/old-files.ts'
import { createCommandQueue } from '../../../src/sandbox/command-queue.ts'
import { systemCallFilter } from '../../../src/sandbox/system-calls.ts'
import { temporaryDir } from '../../support/storage.ts'

describe('the lock of changes', () => {
  let dir: string
  const file = (): string => join(dir, 'room', 'changing')
  const never = new AbortController().signal

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sshawl-lock-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  test('work under one lock runs one after the other and leaves no files', async () => {
    let inside = 0
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside)
      await readdir(dir)
      inside--
    }
    await Promise.all(Array.from({ length: 20 }, () => underLock(file(), { signal: never }, work)))
    expect(most).toBe(1)
    expect(await readdir(join(dir, 'room'))).toEqual([])
  })

  test('a task that fails releases the lock of the workspace', async () => {
    const failing = underLock(file(), { signal: never }, () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await underLock(file(), { signal: never }, () => Promise.resolve('yes'))).toBe('yes')
  })

  test('the stale lock of a dead server is removed, and one of many waiting tasks runs at a time', async () => {
    await underLock(file(), { signal: never }, async () => undefined)
    for (const left of ['an id', '']) {
      await writeFile(file(), left)
      let inside = 0
      const work = async (): Promise<number> => {
        const count = ++inside
        await readdir(dir)
        inside--
        return count
      }
      const all = Array.from({ length: 8 }, () => underLock(file(), { signal: never, staleMs: 100 }, work))
      expect(new Set(await Promise.all(all))).toEqual(new Set([1]))
      expect(await readdir(join(dir, 'room'))).toEqual([])
    }
  })

  test('a lock whose owner changes is never removed as stale', async () => {
    await underLock(file(), { signal: never }, async () => undefined)
    let isOver = false
    const owners = (async () => {
      for (let owner = 0; owner < 30; owner++) {
        await writeFile(file(), `owner ${owner}`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      isOver = true
      await rm(file())
    })()
    await underLock(file(), { signal: never, staleMs: 200 }, async () => expect(isOver).toBe(true))
    await owners
  })

  test('work that lost its lock does not remove the lock of the next owner', async () => {
    const isIn = createDeferred<void>()
    const isLost = createDeferred<void>()
    const slow = underLock(file(), { signal: never }, async () => {
      isIn.resolve()
      await isLost.promise
    })
    await isIn.promise
    await writeFile(file(), 'another')
    isLost.resolve()
    await slow
    expect(await readFile(file(), 'utf8')).toBe('another')
  })

  test('waiting for a lock ends when the server stops', async () => {
    await underLock(file(), { signal: never }, async () => undefined)
    await writeFile(file(), 'another')
    const stopping = new AbortController()
    const waiting = underLock(file(), { signal: stopping.signal }, async () => 'done')
    stopping.abort(new Error('the server is stopping'))
    await expect(waiting).rejects.toThrow('the server is stopping')
    expect(existsSync(file())).toBe(true)
  })
})

const HOUR = 3_600_000

/** A room's files beside other files, to which a link in the room leads. */
function files() {
  const dir = temporaryDir()
  const [room, outside] = [join(dir.path, 'room'), join(dir.path, 'outside')]
  mkdirSync(join(room, 'src'), { recursive: true })
  mkdirSync(outside)
  for (const path of [join(room, 'a'), join(room, 'src/b'), join(outside, 'c')]) writeFileSync(path, 'x')
  symlinkSync(outside, join(room, 'link'))
  const list = (path: string) => readdirSync(path, { recursive: true }).map(String).toSorted()
  return { room, outside, list, [Symbol.dispose]: () => dir[Symbol.dispose]() }
}

test('files older than the limit are removed, but no files behind a link', async () => {
  using at = files()
  await removeOldFiles(at.room, Date.now() + HOUR)
  expect(at.list(at.room)).toEqual(['src'])
  expect(at.list(at.outside)).toEqual(['c'])
})

test('new files are kept, even if an archive gave them an old time', async () => {
  using at = files()
  utimesSync(join(at.room, 'a'), 0, 0)
  await removeOldFiles(at.room, Date.now() - HOUR)
  expect(at.list(at.room)).toContain('a')
})

test('the removal of old files accepts a room without files', async () => {
  using at = files()
  await removeOldFiles(join(at.room, 'none'), Date.now() + HOUR)
  expect(at.list(at.room)).toContain('a')
})

const never = new AbortController().signal

/** Commands that are at work until they are told to end. */
function commandsIn(memoryBytes: number) {
  const queue = createCommandQueue(memoryBytes)
  const atWork: { readonly room: string; readonly end: () => void }[] = []
  const start = (room: string, signal = never): Promise<void> =>
    queue(room, signal, () => {
      const ended = createDeferred<void>()
      atWork.push({ room, end: () => ended.resolve() })
      return ended.promise
    })
  return { start, atWork }
}

/** More than any machine has, so that as few run at once as may. */
const HUGE = 2 ** 60

test('a machine with little memory runs two commands at once, and a third after one has ended', async () => {
  const { start, atWork } = commandsIn(HUGE)
  const all = ['a', 'b', 'c'].map((room) => start(room))
  await expect.poll(() => atWork.map(({ room }) => room)).toEqual(['a', 'b'])
  atWork[0]?.end()
  await expect.poll(() => atWork.map(({ room }) => room)).toEqual(['a', 'b', 'c'])
  for (const { end } of atWork) end()
  await Promise.all(all)
})

test('a room with many commands leaves a slot to another room', async () => {
  const { start, atWork } = commandsIn(HUGE)
  const all = ['a', 'a', 'a', 'b'].map((room) => start(room))
  await expect.poll(() => atWork.map(({ room }) => room)).toEqual(['a', 'b'])
  for (let ended = 0; ended < all.length; ended++) {
    await expect.poll(() => atWork.length).toBeGreaterThan(ended)
    atWork[ended]?.end()
  }
  await Promise.all(all)
})

test('a command whose turn was stopped in the queue does not begin', async () => {
  const { start, atWork } = commandsIn(HUGE)
  const stop = new AbortController()
  const first = start('a')
  const second = expect(start('a', stop.signal)).rejects.toThrow('stopped')
  stop.abort(new Error('stopped'))
  await expect.poll(() => atWork.length).toBe(1)
  atWork[0]?.end()
  await Promise.all([first, second])
  expect(atWork).toHaveLength(1)
})

const X64 = 0xc000003e
const ARM64 = 0xc00000b7
const CLONE_NEWUSER = 0x10000000
const CLONE_THREAD = 0x10000

/** What the kernel makes of a filter: it runs the program over the call, as bpf(4) says. */
function verdict(filter: Uint8Array, [audit, number, argument]: readonly [number, number, number]): string {
  const view = new DataView(filter.buffer, filter.byteOffset, filter.byteLength)
  const call: Readonly<Record<number, number>> = { 0: number, 4: audit, 16: argument }
  let loaded = 0
  for (let at = 0; ; at += 8) {
    const figure = view.getUint32(at + 4, true)
    const jump = (isTrue: boolean): number => view.getUint8(at + (isTrue ? 2 : 3)) * 8
    const code = view.getUint16(at, true)
    if (code === 0x20) loaded = call[figure] ?? 0
    else if (code === 0x15) at += jump(loaded === figure)
    else if (code === 0x35) at += jump(loaded >= figure)
    else if (code === 0x45) at += jump((loaded & figure) !== 0)
    else return figure === 0x7fff0000 ? 'allow' : figure === 0x80000000 ? 'kill' : `errno ${figure & 0xffff}`
  }
}

test.each([
  ['x64', 'read', [X64, 0, 0], 'allow'],
  ['x64', 'mount', [X64, 165, 0], 'errno 1'],
  ['x64', 'unshare', [X64, 272, 0], 'errno 1'],
  ['x64', 'ptrace', [X64, 101, 0], 'errno 1'],
  ['x64', 'clone3', [X64, 435, 0], 'errno 38'],
  ['x64', 'memfd_create', [X64, 319, 0], 'errno 38'],
  ['x64', 'clone of a thread', [X64, 56, CLONE_THREAD], 'allow'],
  ['x64', 'clone with a user namespace', [X64, 56, CLONE_NEWUSER | CLONE_THREAD], 'errno 1'],
  ['x64', 'socket AF_UNIX', [X64, 41, 1], 'allow'],
  ['x64', 'socket AF_INET6', [X64, 41, 10], 'allow'],
  ['x64', 'socket AF_NETLINK', [X64, 41, 16], 'errno 97'],
  ['x64', 'socket AF_PACKET', [X64, 41, 17], 'errno 97'],
  ['x64', 'socketpair AF_UNIX', [X64, 53, 1], 'allow'],
  ['x64', 'socketpair AF_TIPC', [X64, 53, 30], 'errno 97'],
  ['x64', 'x32 unshare', [X64, 0x40000000 + 272, 0], 'errno 38'],
  ['x64', 'a call of 32-bit programs', [0x40000003, 26, 0], 'kill'],
  ['arm64', 'read', [ARM64, 63, 0], 'allow'],
  ['arm64', 'unshare', [ARM64, 97, 0], 'errno 1'],
  ['arm64', 'clone with a user namespace', [ARM64, 220, CLONE_NEWUSER], 'errno 1'],
  ['arm64', 'socket AF_PACKET', [ARM64, 198, 17], 'errno 97'],
  ['arm64', 'socket AF_INET', [ARM64, 198, 2], 'allow'],
  ['arm64', 'a call of x64', [X64, 0, 0], 'kill'],
] as const)('the filter of system calls on %s decides about %s', (machine, _call, given, expected) => {
  expect(verdict(systemCallFilter(machine)!, given)).toBe(expected)
})

test('no filter of system calls is made for an unknown machine', () => {
  expect(systemCallFilter('riscv64')).toBeUndefined()
})
