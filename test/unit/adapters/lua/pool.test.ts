import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComposerOptions, createComposer } from '../../../../src/adapters/lua/pool.ts'
import { paths } from '../../../../src/app/paths.ts'
import { type Composer, WrapError } from '../../../../src/prompt/ports.ts'
import type { UnnamedTool } from '../../../../src/prompt/names.ts'
import type { Snapshot } from '../../../../src/prompt/snapshot.ts'
import { catalogue, messages, sampleSnapshot, sampleTool } from '../../../support/snapshot.ts'

interface Line {
  readonly level: string
  readonly facts: { readonly why?: string }
  readonly text: string
}

function recordingLog(): { readonly lines: Line[]; readonly log: ComposerOptions['log'] } {
  const lines: Line[] = []
  const at = (level: string) => (facts: object, text: string) => void lines.push({ level, facts, text })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

const { lines, log } = recordingLog()
const open = (over: Partial<ComposerOptions> = {}): Composer =>
  createComposer({ entry: paths.wrapProcess, packageRoot: paths.root, engine: 'wasmoon', log, ...over })

const inRoom = (name: string, script?: string): Snapshot => ({
  ...sampleSnapshot({ history: messages(3) }),
  room: { ...sampleSnapshot().room, name },
  ...(script === undefined ? {} : { script: { source: script, version: 1 } }),
})

const failureOf = async (attempt: Promise<unknown>): Promise<WrapError> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof WrapError) return error
  throw new Error(`not refused with a WrapError: ${String(error)}`)
}

/** Process ids of our wrap processes. */
const children = async (): Promise<readonly string[]> => {
  const all = (await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => ''))
    .split(' ')
    .filter(Boolean)
  const wanted: string[] = []
  for (const pid of all) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes('lua/process/main.js')) wanted.push(pid)
  }
  return wanted
}

/** Patterns run in C, where the engine's own clock is not looked at. */
const endlessPattern = '("a"):rep(2e5):find(".-.-.-b")'

describe('the pool of wrap processes', () => {
  let composer: Composer
  beforeAll(() => {
    composer = open({ limits: { cpuMs: 600 } })
  })
  afterAll(() => composer[Symbol.asyncDispose]())

  test('composes the same prompt as in one process', async () => {
    const [one, two] = await Promise.all([
      composer.compose(inRoom('lobby')),
      composer.compose(inRoom('lobby')),
    ])
    expect(one).toEqual(two)
    expect(one.budget.used).toBeGreaterThan(300)
    expect(one.context).toContain('bob: message number 2')
  })

  test('counts tokens', async () => {
    expect(await composer.count('o200k_base', ['hello world', '', '<|endoftext|>'])).toEqual([2, 0, 7])
    expect(await composer.count('cl100k_base', [])).toEqual([])
    expect(await failureOf(composer.count('nope', ['x']))).toMatchObject({ reason: 'argument' })
  })

  test('checks a script without keeping it', async () => {
    await composer.check('function default_wrap() return wrap():system() end', inRoom('lobby'))
    expect(await failureOf(composer.check('x = = 1', inRoom('lobby')))).toMatchObject({
      reason: 'script',
      message: expect.stringContaining('script:1: unexpected symbol'),
    })
    expect((await composer.compose(inRoom('lobby'))).layers.length).toBeGreaterThan(3)
  })

  test.each([
    ['while true do end', 'limit'],
    ['while true do pcall(function() while true do end end) end', 'limit'],
    ['local s = ("x"):rep(1e9)', 'limit'],
    ['local t = {} while true do t[#t + 1] = {} end', 'limit'],
    ['local function f() return 1 + f() end f()', 'script'],
    ['function default_wrap() return wrap():custom("x", ("y"):rep(1e6)) end', 'limit'],
    ['load("\\27Lua")()', 'script'],
    ['os.execute("touch pwned")', 'script'],
    ['io.open("/etc/passwd")', 'script'],
    ['require "fs"', 'script'],
    ['getmetatable("").__index.upper = 1', 'script'],
    ['for i = 1, 1e4 do tools.count_tokens(("a"):rep(1e5) .. i) end', 'limit'],
    ['tools.available_tools((function() local t = {} t.t = t return t end)())', 'script'],
    [endlessPattern, 'limit'],
    ['local t = setmetatable({}, {}) getmetatable(t).__call = t t()', 'limit'],
  ])('ends %s, and the room composes again', async (script, reason) => {
    expect(await failureOf(composer.compose(inRoom('hostile', script)))).toMatchObject({ reason })
    expect((await composer.compose(inRoom('hostile'))).budget.used).toBeGreaterThan(300)
  })

  test('serves other rooms while one room keeps a process busy to the end, again and again', async () => {
    const done: string[] = []
    const hostile = Array.from({ length: 3 }, () =>
      failureOf(composer.compose(inRoom('hostile', endlessPattern))).then(() => done.push('hostile')),
    )
    for (let turn = 0; turn < 5; turn += 1) {
      await composer.compose(inRoom('peaceful'))
      done.push('peaceful')
    }
    expect(done).toEqual(Array.from({ length: 5 }, () => 'peaceful'))
    await Promise.all(hostile)
  })

  test('leaves a process to the others, however many rooms have cost one before', async () => {
    await using own = open({ size: 2, limits: { cpuMs: 800 } })
    const rooms = ['one', 'two', 'three']
    const attack = (): readonly Promise<WrapError>[] =>
      rooms.map((name) => failureOf(own.compose(inRoom(name, endlessPattern))))
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
    await using pair = open({ size: 2, limits: { cpuMs: 200 } })
    await pair.count('o200k_base', ['warm'])
    const before = new Set(await children())
    await using single = open({ size: 1, limits: { cpuMs: 200 } })
    await single.count('o200k_base', ['warm'])
    const [pid] = (await children()).filter((one) => !before.has(one))
    process.kill(Number(pid), 'SIGSTOP')
    const patient = single.compose(inRoom('honest'))
    // The end of this one tells that the same limit has passed by the clock.
    expect(await failureOf(pair.compose(inRoom('hostile', endlessPattern)))).toMatchObject({
      reason: 'limit',
      message: 'wrap: composing takes longer than 200 ms of processor time',
    })
    process.kill(Number(pid), 'SIGCONT')
    expect((await patient).budget.used).toBeGreaterThan(300)
  })

  test('sends a tool once to a process, and again when it has changed', async () => {
    await using one = open({ size: 1 })
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

  test('refuses what a room piles up, and only that', async () => {
    await using small = open({ size: 1, limits: { queued: 3 } })
    const outcomes = Array.from({ length: 6 }, () => small.compose(inRoom('busy')).then(() => 'done', String))
    await small.compose(inRoom('quiet'))
    const all = await Promise.all(outcomes)
    expect(all.filter((one) => one === 'done').length).toBeGreaterThanOrEqual(3)
    expect(all.at(-1)).toContain('prompts of this room are waiting already; try again later')
  })

  test('refuses a snapshot that is not plain data or not whole, and goes on', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const snapshot = { ...inRoom('lobby'), message: circular } as unknown as Snapshot
    expect(await failureOf(composer.compose(snapshot))).toMatchObject({ reason: 'argument' })
    const strange = { ...inRoom('lobby'), present: 5 } as unknown as Snapshot
    expect(await failureOf(composer.compose(strange))).toMatchObject({ reason: 'process' })
    expect((await composer.compose(inRoom('lobby'))).budget.used).toBeGreaterThan(300)
  })
})

describe('a wrap process', () => {
  test('has no environment, no rights but reading its own code, and is gone when the pool is', async () => {
    const before = await children()
    const composer = open({ size: 1 })
    await composer.count('o200k_base', ['x'])
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
    await using composer = open({ size: 1, limits: { cpuMs: 25_000, wallMs: 25_000 } })
    const before = lines.length
    await composer.count('o200k_base', ['x'])
    const doomed = failureOf(composer.compose(inRoom('hostile', endlessPattern)))
    for (const pid of await children()) process.kill(Number(pid), 'SIGKILL')
    expect(await doomed).toMatchObject({
      reason: 'process',
      message: expect.stringContaining('has died; try again'),
    })
    expect((await composer.compose(inRoom('lobby'))).budget.used).toBeGreaterThan(300)
    expect(lines.slice(before)).toContainEqual(
      expect.objectContaining({ level: 'warn', text: 'a wrap process ended' }),
    )
  })

  test('that cannot start is reported with what it said, and refused prompts say so', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sshawl-pool-'))
    try {
      const entry = join(directory, 'broken.js')
      await writeFile(entry, 'throw new Error("no Lua today")')
      const { lines: said, log: own } = recordingLog()
      await using composer = open({ entry, log: own })
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
