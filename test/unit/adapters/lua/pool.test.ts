import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  attack,
  composeTwo,
  ENDLESS_PATTERN,
  failureOf,
  inRoom,
  nextEndless,
  openPool,
  openWatched,
  recordingLog,
  type WatchedPool,
} from '../../../support/pool.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { wrapProcesses } from '../../../support/wrap-processes.ts'

const TOO_LONG = 'wrap: composing takes longer than 1000 ms of processor time'

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

  test('holds no prompt that it has handed out', async () => {
    const composeOne = async () => {
      const prompt = pool.compose(inRoom('earlier'))
      await pool.watched.next()
      return new WeakRef(await prompt)
    }
    const handedOut = await composeOne()
    await composeTwo(pool, 'later')
    await collectGarbage()
    expect(handedOut.deref()).toBeUndefined()
  })

  test('refuses what a room piles up, and only that', async () => {
    const running = attack(pool, 'busy')
    const work = await nextEndless(pool)
    const queued = Array.from({ length: 3 }, () => pool.compose(inRoom('busy')))
    expect((await failureOf(pool.compose(inRoom('busy')))).message).toBe(
      'wrap: 3 prompts are waiting here already; try again later',
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
    const counts = pool.count('r50k_base', ['x'])
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
        message: expect.stringContaining('no model can answer now: the server cannot compose prompts'),
      })
      expect(said.find((line) => line.level === 'error')?.text).toBe('the wrap process does not start')
      expect(await readdir(directory)).toEqual(['broken.js'])
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
