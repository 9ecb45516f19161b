import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { underLock } from '../../../../src/adapters/sandbox/change-lock.ts'
import { createDeferred } from '../../../../src/lib/jobs/waiting.ts'
import { openWorkspace } from '../../../support/workspace.ts'

let dir: string
const file = (): string => join(dir, 'room', 'changing')
const never = new AbortController().signal

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-lock-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('work under one lock is done one after the other, and leaves nothing behind', async () => {
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

test('work that fails gives the lock back', async () => {
  const failing = underLock(file(), { signal: never }, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await underLock(file(), { signal: never }, () => Promise.resolve('yes'))).toBe('yes')
})

test('the lock of a server that died is taken away, by one of many who wait', async () => {
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

test('a lock that changes hands is not taken away, however long one waits', async () => {
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

test('whoever lost the lock meanwhile leaves it to the next', async () => {
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

test('a server that stops does not wait any more', async () => {
  await underLock(file(), { signal: never }, async () => undefined)
  await writeFile(file(), 'another')
  const stopping = new AbortController()
  const waiting = underLock(file(), { signal: stopping.signal }, async () => 'done')
  stopping.abort(new Error('the server is stopping'))
  await expect(waiting).rejects.toThrow('the server is stopping')
  expect(existsSync(file())).toBe(true)
})

test('servers that share a directory lose no change of each other', async () => {
  await using first = await openWorkspace({ isShared: true })
  await using second = await openWorkspace({ isShared: true, root: first.root })
  const count = (old = '0'): string => String(Number(old) + 1)
  const changes = Array.from({ length: 20 }, (_, number) =>
    (number % 2 === 0 ? first : second).workspace.changeText('count', count),
  )
  await Promise.all(changes)
  expect(await readFile(join(first.files, 'count'), 'utf8')).toBe('20')
  const backups = await readdir(join(first.root, 'lobby', 'backups'))
  expect(backups).toHaveLength(19)
  expect((await readdir(join(first.root, 'lobby'))).toSorted()).toEqual(['backups', 'files'])
})
