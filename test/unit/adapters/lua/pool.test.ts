import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ComposerOptions } from '../../../../src/adapters/lua/composer-options.ts'
import type { Composer, WrapError } from '../../../../src/prompt/ports.ts'
import { createManualWatch, type ManualWatch, type WatchedWork } from '../../../support/manual-watch.ts'
import { failureOf, inRoom, openPool, recordingLog } from '../../../support/pool.ts'
import { wrapProcesses } from '../../../support/wrap-processes.ts'

/** Patterns run in C, where the engine's own time limit is not checked: only the kill from outside ends this. */
const ENDLESS_PATTERN = '("a"):rep(2e5):find(".-.-.-b")'
const TOO_LONG = 'wrap: composing takes longer than 1000 ms of processor time'

type WatchedPool = Composer & { readonly watched: ManualWatch }

/** A pool that ends no work by itself: the test does. Its processes load no more than they need. */
function openWatched(over: Partial<ComposerOptions> = {}): WatchedPool {
  const watched = createManualWatch()
  return Object.assign(openPool({ watch: watched.watch, encodings: [], ...over }), { watched })
}

const attack = (pool: Composer, room: string): Promise<WrapError> =>
  failureOf(pool.compose(inRoom(room, ENDLESS_PATTERN)))

/** The next work that begins, which is endless; it takes no more of the processor, as it would to no end. */
async function nextEndless({ watched }: WatchedPool): Promise<WatchedWork> {
  const work = await watched.next()
  process.kill(work.pid, 'SIGSTOP')
  return work
}

/** Two prompts of a room, composed one after the other. */
async function composeTwo(pool: WatchedPool, room: string): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    const prompt = pool.compose(inRoom(room))
    await pool.watched.next()
    expect((await prompt).budget.used).toBeGreaterThan(300)
  }
}

describe('the pool of wrap processes', () => {
  let pool: WatchedPool
  beforeAll(() => {
    pool = openWatched({ size: 2, limits: { queued: 3 } })
  })
  afterAll(() => pool[Symbol.asyncDispose]())

  test('serves other rooms while one room keeps a process busy to the end, again and again', async () => {
    const failures = [attack(pool, 'hostile'), attack(pool, 'hostile')]
    for (const failure of failures) {
      const endless = await nextEndless(pool)
      await composeTwo(pool, 'peaceful')
      expect([...pool.watched.current]).toEqual([endless])
      endless.end()
      expect(await failure).toMatchObject({ reason: 'limit', message: TOO_LONG })
    }
    await composeTwo(pool, 'hostile')
  })

  test('leaves a process to the others, however many rooms have cost one before', async () => {
    const rooms = ['one', 'two']
    const first = rooms.map((room) => attack(pool, room))
    for (const failure of first) {
      ;(await nextEndless(pool)).end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
    const again = rooms.map((room) => attack(pool, room))
    for (const failure of again) {
      const endless = await nextEndless(pool)
      await composeTwo(pool, 'peaceful')
      expect([...pool.watched.current]).toEqual([endless])
      endless.end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
    await composeTwo(pool, 'one')
  })

  test('lets go of a prompt that nobody waits for any more', async () => {
    const reason = new Error('stopped')
    const stopping = new AbortController()
    const endless = (): Promise<unknown> =>
      pool.compose(inRoom('hostile', ENDLESS_PATTERN), stopping.signal).catch((error: unknown) => error)
    const [running, waiting] = [endless(), endless()]
    const work = await nextEndless(pool)
    stopping.abort(reason)
    expect(await running).toBe(reason)
    expect(await waiting).toBe(reason)
    expect(await endless()).toBe(reason)
    work.end()
    await composeTwo(pool, 'hostile')
  })

  test('refuses what a room piles up, and only that', async () => {
    const running = attack(pool, 'busy')
    const work = await nextEndless(pool)
    const queued = Array.from({ length: 3 }, () => pool.compose(inRoom('busy')))
    expect((await failureOf(pool.compose(inRoom('busy')))).message).toBe(
      'wrap: 3 prompts of this room are waiting already; try again later',
    )
    expect((await pool.compose(inRoom('quiet'))).budget.used).toBeGreaterThan(300)
    work.end()
    expect(await running).toMatchObject({ reason: 'limit' })
    for (const { budget } of await Promise.all(queued)) expect(budget.used).toBeGreaterThan(300)
  })
})

test('work that has used too much of the processor is ended without anybody’s word', async () => {
  await using pool = openPool({ size: 1, encodings: [], limits: { cpuMs: 150 } })
  expect(await attack(pool, 'hostile')).toMatchObject({
    reason: 'limit',
    message: 'wrap: composing takes longer than 150 ms of processor time',
  })
})

describe('a wrap process', () => {
  test('has no environment, no rights but reading its own code, and is gone when the pool is', async () => {
    const pool = openWatched({ size: 1 })
    const counts = pool.count('o200k_base', ['x'])
    const { pid } = await pool.watched.next()
    expect(await counts).toEqual([1])
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).toBe('')
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    expect(command.some((word) => /^--(experimental-)?permission$/.test(word))).toBe(true)
    const allowed = command.filter((word) => word.startsWith('--allow'))
    expect(allowed.every((word) => word.startsWith('--allow-fs-read='))).toBe(true)
    await pool[Symbol.asyncDispose]()
    expect(await wrapProcesses(process.pid)).not.toContain(pid)
    expect(await failureOf(pool.compose(inRoom('lobby')))).toMatchObject({
      reason: 'process',
      message: 'wrap: the server is stopping',
    })
  })

  test('that dies is replaced; only its own prompt fails', async () => {
    const { lines, log } = recordingLog()
    await using pool = openWatched({ size: 1, log })
    const doomed = attack(pool, 'hostile')
    process.kill((await pool.watched.next()).pid, 'SIGKILL')
    expect(await doomed).toMatchObject({
      reason: 'process',
      message: expect.stringContaining('has died; try again'),
    })
    await composeTwo(pool, 'lobby')
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
