import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { UnnamedTool } from '../../../../src/wrap/scope/tool-names.ts'
import type { Snapshot } from '../../../../src/wrap/snapshot.ts'
import {
  ENDLESS_PATTERN,
  type WatchedPool,
  attack,
  composeTwo,
  failureOf,
  inRoom,
  nextEndless,
  openPool,
  openWatched,
  recordingLog,
} from '../../../support/pool.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { wrapProcesses } from '../../../support/wrap-processes.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'

const pool = openWatched({ size: 2, limits: { queued: 3 } })
afterAll(() => pool[Symbol.asyncDispose]())

test('the pool rejects running and queued prompts with the reason of their abort', async () => {
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

test('the pool keeps no reference to a prompt that it has returned', async () => {
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

test('the pool limits queued prompts per room without affecting other rooms', async () => {
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

test('the pool ends work that exceeds its CPU limit', async () => {
  await using pool = openPool({ size: 1, encodings: [], limits: { cpuMs: 150 } })
  expect(await attack(pool, 'hostile')).toMatchObject({
    reason: 'limit',
    message: 'wrap: composing takes longer than 150 ms of processor time',
  })
})

test('a wrap process has no environment, may only read files and exits with its pool', async () => {
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

test('a wrap process that dies is replaced, and only its own prompt fails', async () => {
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

test('a wrap process that cannot start is logged as an error, and its prompts are rejected', async () => {
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

describe('the pool of wrap processes', () => {
  let pool: WatchedPool
  beforeAll(() => {
    pool = openWatched({ size: 2 })
  })
  afterAll(() => pool[Symbol.asyncDispose]())

  test('the pool keeps a process for other rooms while rooms that lost processes run endless scripts', async () => {
    const rooms = ['now', 'then']
    const first = rooms.map((room) => attack(pool, room))
    for (const failure of first) {
      ;(await nextEndless(pool)).end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
    for (const room of rooms) await composeTwo(pool, room)
    const again = rooms.map((room) => attack(pool, room))
    for (const failure of again) {
      const endless = await nextEndless(pool)
      await composeTwo(pool, 'peaceful')
      expect([...pool.watched.current]).toEqual([endless])
      endless.end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
  })

  test('endless script checks of one person use at most one process and delay no room', async () => {
    const check = () => failureOf(pool.check(ENDLESS_PATTERN, inRoom('lobby', undefined, 'mallory')))
    const checks = [check(), check()]
    for (const failure of checks) {
      const endless = await nextEndless(pool)
      await composeTwo(pool, 'lobby')
      expect([...pool.watched.current]).toEqual([endless])
      endless.end()
      expect(await failure).toMatchObject({ reason: 'limit' })
    }
    await composeTwo(pool, 'lobby')
  })
})

const composer = openPool({ limits: { cpuMs: 600 } })
afterAll(() => composer[Symbol.asyncDispose]())

test.each([
  ['while true do end', 'limit'],
  ['local s = ("x"):rep(1e9)', 'limit'],
  ['function default_wrap() return wrap():custom("x", ("y"):rep(1e6)) end', 'limit'],
  ['os.execute("touch pwned")', 'script'],
  ['require "fs"', 'script'],
  ['for i = 1, 1e4 do tools.count_tokens(("a"):rep(1e5) .. i) end', 'limit'],
  ['tools.available_tools((function() local t = {} t.t = t return t end)())', 'script'],
])('the composer ends the script %s, and the room composes again', async (script, reason) => {
  expect(await failureOf(composer.compose(inRoom('hostile', script)))).toMatchObject({ reason })
  expect((await composer.compose(inRoom('hostile'))).budget.used).toBeGreaterThan(300)
})

test('composed tools have their current descriptions after tools are cached, changed or reordered', async () => {
  await using one = openPool({ size: 1 })
  const withTools = (...tools: readonly UnnamedTool[]): Snapshot => ({
    ...inRoom('tools'),
    tools: catalogue(...tools),
  })
  const described = async (snapshot: Snapshot): Promise<readonly (string | undefined)[]> =>
    (await one.compose(snapshot)).tools.map((tool) => tool.definition?.description)
  const first = withTools(sampleTool('a'), sampleTool('b'))
  expect(await described(first)).toEqual(['Does what a says.', 'Does what b says.'])
  expect(await described(first)).toEqual(['Does what a says.', 'Does what b says.'])
  expect(await described(withTools(sampleTool('b', { description: 'New.' }), sampleTool('a')))).toEqual([
    'New.',
    'Does what a says.',
  ])
})

test('the composer rejects a circular or malformed snapshot, and then composes again', async () => {
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  const snapshot = { ...inRoom('lobby'), message: circular } as unknown as Snapshot
  expect(await failureOf(composer.compose(snapshot))).toMatchObject({ reason: 'argument' })
  const strange = { ...inRoom('lobby'), present: 5 } as unknown as Snapshot
  expect(await failureOf(composer.compose(strange))).toMatchObject({ reason: 'process' })
  expect((await composer.compose(inRoom('lobby'))).budget.used).toBeGreaterThan(300)
})
