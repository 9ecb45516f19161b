import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Composer, WrapError } from '../../../../src/prompt/ports.ts'
import {
  failureOf,
  inRoom as inAnyRoom,
  openPool as openAnyPool,
  recordingLog,
} from '../../../support/pool.ts'
import { wrapProcesses } from '../../../support/wrap-processes.ts'

/** A process that is killed is started anew, and the smallest encoding is loaded soonest. */
const ENCODING = 'r50k_base'
const openPool: typeof openAnyPool = (over) => openAnyPool({ encodings: [ENCODING], ...over })
const inRoom: typeof inAnyRoom = (name, script) => {
  const snapshot = inAnyRoom(name, script)
  return { ...snapshot, model: { ...snapshot.model, encoding: ENCODING } }
}

const children = (): Promise<readonly number[]> => wrapProcesses(process.pid)

/** Patterns run in C, where the engine's own time limit is not checked: only the kill from outside ends this. */
const ENDLESS_PATTERN = '("a"):rep(2e5):find(".-.-.-b")'

describe('the pool of wrap processes', () => {
  let composer: Composer
  beforeAll(() => {
    composer = openPool({ limits: { cpuMs: 300 } })
  })
  afterAll(() => composer[Symbol.asyncDispose]())

  test('serves other rooms while one room keeps a process busy to the end, again and again', async () => {
    // Long enough that the peaceful prompts are done first, however busy the machine is.
    await using own = openPool({ limits: { cpuMs: 1500 } })
    await own.compose(inRoom('peaceful'))
    const done: string[] = []
    const hostile = Array.from({ length: 2 }, () =>
      failureOf(own.compose(inRoom('hostile', ENDLESS_PATTERN))).then(() => done.push('hostile')),
    )
    for (let turn = 0; turn < 3; turn += 1) {
      await own.compose(inRoom('peaceful'))
      done.push('peaceful')
    }
    expect(done).toEqual(Array.from({ length: 3 }, () => 'peaceful'))
    await Promise.all(hostile)
  })

  test('leaves a process to the others, however many rooms have cost one before', async () => {
    await using own = openPool({ size: 2, limits: { cpuMs: 1200 } })
    const rooms = ['one', 'two', 'three']
    const attack = (): readonly Promise<WrapError>[] =>
      rooms.map((name) => failureOf(own.compose(inRoom(name, ENDLESS_PATTERN))))
    for (const failure of await Promise.all(attack())) expect(failure).toMatchObject({ reason: 'limit' })
    const done: string[] = []
    const again = attack().map((failure) => failure.then(() => done.push('hostile')))
    for (let turn = 0; turn < 3; turn += 1) {
      await own.compose(inRoom('peaceful'))
      done.push('peaceful')
    }
    expect(done).toEqual(['peaceful', 'peaceful', 'peaceful'])
    await Promise.all(again)
    expect((await own.compose(inRoom('one'))).budget.used).toBeGreaterThan(300)
  })

  test('lets go of a prompt that nobody waits for any more', async () => {
    const reason = new Error('stopped')
    const stopping = new AbortController()
    const running = composer.compose(inRoom('hostile', 'while true do end'), stopping.signal)
    const waiting = composer.compose(inRoom('hostile', 'while true do end'), stopping.signal)
    stopping.abort(reason)
    await expect(running).rejects.toBe(reason)
    await expect(waiting).rejects.toBe(reason)
    await expect(composer.compose(inRoom('hostile'), stopping.signal)).rejects.toBe(reason)
    expect((await composer.compose(inRoom('hostile'))).budget.used).toBeGreaterThan(300)
  })

  test('lets a composition take as long as it must where the processor is busy elsewhere', async () => {
    await using pair = openPool({ size: 2, limits: { cpuMs: 200 } })
    await pair.count(ENCODING, ['warm'])
    const before = new Set(await children())
    await using single = openPool({ size: 1, limits: { cpuMs: 200 } })
    await single.count(ENCODING, ['warm'])
    const [pid] = (await children()).filter((one) => !before.has(one))
    process.kill(Number(pid), 'SIGSTOP')
    const patient = single.compose(inRoom('honest'))
    // The end of this one tells that the same limit has passed by the clock.
    expect(await failureOf(pair.compose(inRoom('hostile', ENDLESS_PATTERN)))).toMatchObject({
      reason: 'limit',
      message: 'wrap: composing takes longer than 200 ms of processor time',
    })
    process.kill(Number(pid), 'SIGCONT')
    expect((await patient).budget.used).toBeGreaterThan(300)
  })

  test('refuses what a room piles up, and only that', async () => {
    await using small = openPool({ size: 1, limits: { queued: 3 } })
    const outcomes = Array.from({ length: 6 }, () => small.compose(inRoom('busy')).then(() => 'done', String))
    await small.compose(inRoom('quiet'))
    const all = await Promise.all(outcomes)
    expect(all.filter((one) => one === 'done').length).toBeGreaterThanOrEqual(3)
    expect(all.at(-1)).toContain('prompts of this room are waiting already; try again later')
  })
})

describe('a wrap process', () => {
  test('has no environment, no rights but reading its own code, and is gone when the pool is', async () => {
    const before = await children()
    const composer = openPool({ size: 1 })
    await composer.count(ENCODING, ['x'])
    const [pid] = (await children()).filter((one) => !before.includes(one))
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).toBe('')
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    expect(command.some((word) => /^--(experimental-)?permission$/.test(word))).toBe(true)
    expect(
      command
        .filter((word) => word.startsWith('--allow'))
        .every((word) => word.startsWith('--allow-fs-read=')),
    ).toBe(true)
    await composer[Symbol.asyncDispose]()
    expect((await children()).filter((one) => !before.includes(one))).toEqual([])
    expect(await failureOf(composer.compose(inRoom('lobby')))).toMatchObject({
      reason: 'process',
      message: 'wrap: the server is stopping',
    })
  })

  test('that dies is replaced; only its own prompt fails', async () => {
    const { lines, log } = recordingLog()
    await using composer = openPool({ size: 1, log, limits: { cpuMs: 25_000, wallMs: 25_000 } })
    await composer.count(ENCODING, ['x'])
    const doomed = failureOf(composer.compose(inRoom('hostile', ENDLESS_PATTERN)))
    for (const pid of await children()) process.kill(pid, 'SIGKILL')
    expect(await doomed).toMatchObject({
      reason: 'process',
      message: expect.stringContaining('has died; try again'),
    })
    expect((await composer.compose(inRoom('lobby'))).budget.used).toBeGreaterThan(300)
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', text: 'a wrap process ended' }))
  })

  test('that cannot start is reported with what it said, and refused prompts say so', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sshawl-pool-'))
    try {
      const entry = join(directory, 'broken.js')
      await writeFile(entry, 'throw new Error("no Lua today")')
      const { lines: said, log: own } = recordingLog()
      await using composer = openPool({ entry, log: own })
      const error = await failureOf(composer.compose(inRoom('lobby')))
      expect(error).toMatchObject({
        reason: 'process',
        message: expect.stringContaining('the wrap process does not start'),
      })
      expect(said.find((line) => line.level === 'error')?.text).toBe('the wrap process does not start')
      expect(await readdir(directory)).toEqual(['broken.js'])
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
