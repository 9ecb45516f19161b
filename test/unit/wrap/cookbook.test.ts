import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listLua, readBundle } from '../../../src/wrap/lua/bundle.ts'
import { ENGINE_NAMES, openEngine } from '../../../src/wrap/lua/engines.ts'
import { paths } from '../../../src/base/paths.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import type { HookName, HookOutcome } from '../../../src/wrap/ports.ts'
import { runHook } from '../../../src/wrap/run-hook.ts'
import type { LuaEngine } from '../../../src/wrap/ports.ts'
import type { Prompt } from '../../../src/wrap/prompt.ts'
import type { Snapshot } from '../../../src/wrap/snapshot.ts'
import { composePrompt } from '../../../src/wrap/compose-prompt.ts'
import { catalogue, messages, sampleSnapshot, sampleTool, snapshotFor } from '../../support/snapshot.ts'
import { tokenCounters } from '../../support/token-counters.ts'

/** Every script of docs/wrap.md, as it stands on the page, does on both engines what the page says of it. */
const page = await readFile(join(paths.root, 'docs/wrap.md'), 'utf8')
const recipes = [...page.matchAll(/^### \d+\. (.+)\n[^]*?^```lua\n([^]*?)^```$/gm)].map(
  ([, title = '', source = '']) => ({ title, source }),
)

const counter = tokenCounters.of('o200k_base')
let engines: readonly LuaEngine[] = []
beforeAll(async () => {
  const limits = { timeMs: 5000, memoryBytes: 64 * 1024 * 1024 }
  const bundle = await readBundle(listLua(paths.lua))
  engines = await Promise.all(ENGINE_NAMES.map((name) => openEngine(name, bundle, limits)))
})
afterAll(() => engines.forEach((engine) => engine.close()))

/** What all engines give, which must be the same. */
function onAll<T>(work: (engine: LuaEngine) => T): T {
  const [first, ...others] = engines.map(work)
  for (const other of others) expect(other).toEqual(first)
  if (first === undefined) throw new Error('there is no engine')
  return first
}

type Given = Partial<Snapshot> & { readonly values?: Snapshot['room']['values'] }

const sourceOf = (title: string): string => {
  const found = recipes.find((recipe) => recipe.title.startsWith(title))
  if (!found) throw new Error(`the page has no recipe "${title}"`)
  return found.source
}

function prompt(title: string, { values = {}, ...given }: Given = {}): Prompt {
  const sample = sampleSnapshot()
  const snapshot: Snapshot = {
    ...sample,
    ...given,
    room: { ...sample.room, values },
    script: { source: sourceOf(title), version: 1 },
  }
  return onAll((engine) => composePrompt(snapshot, engine, counter))
}

const hook = (
  title: string,
  name: HookName,
  argument: JsonObject,
  {
    values = {},
    now = 0,
  }: { readonly values?: { readonly [key: string]: Json }; readonly now?: number } = {},
): HookOutcome =>
  onAll((engine) =>
    runHook(engine, {
      name,
      argument,
      now,
      script: { source: sourceOf(title), version: 1 },
      author: 'ann',
      room: { name: 'den', topic: '', vibe: '', private: false, todo: [], values },
    }),
  )

const HOUR = 3_600_000

test('the cookbook has ten scripts', () => {
  expect(recipes.map(({ title }) => title)).toEqual([
    expect.stringMatching(/^House rules/),
    expect.stringMatching(/^A shorter conversation/),
    expect.stringMatching(/^Tools that only read/),
    expect.stringMatching(/^A mode/),
    expect.stringMatching(/^A glossary/),
    expect.stringMatching(/^Who spoke today/),
    expect.stringMatching(/^No commands at night/),
    expect.stringMatching(/^Files that no model/),
    expect.stringMatching(/^Points/),
    expect.stringMatching(/^What each person/),
  ])
})

test('cookbook recipe 1 puts the house rules into the system prompt', () => {
  expect(prompt('House rules').system).toContain('Answer in at most three sentences.')
})

test('cookbook recipe 2 gives a small model 20 messages and a large model all messages', () => {
  const history = messages(40)
  const count = (given: Snapshot): number =>
    prompt('A shorter', { ...given, history }).context.match(/message number/g)?.length ?? 0
  expect(count(snapshotFor(7000))).toBe(20)
  expect(count(snapshotFor(20_000))).toBe(40)
})

test('cookbook recipe 3 gives members only tools that read, and owners all tools', () => {
  const all = catalogue(sampleTool('Grep'), sampleTool('Bash', { access: 'execute' }))
  const names = (role: string): readonly string[] =>
    prompt('Tools that', { tools: all, user: { name: 'bob', role } }).tools.map((tool) => tool.name)
  expect(names('member')).toEqual(['Grep'])
  expect(names('owner')).toEqual(['Grep', 'Bash'])
})

test('cookbook recipe 4 adds the mode that the key-value names', () => {
  expect(prompt('A mode', { values: { mode: 'teacher' } }).system).toContain('Do not give solutions.')
  const others: readonly Snapshot['room']['values'][] = [{}, { mode: 'nope' }]
  for (const values of others)
    expect(prompt('A mode', { values }).layers.map(({ name }) => name)).not.toContain('mode')
})

test('cookbook recipe 5 shows the glossary entries of the words that were used', () => {
  const values = { glossary: { Message: 'what is said', number: 'a count', zebra: 'an animal' } }
  const { context } = prompt('A glossary', { values, history: messages(3) })
  expect(context).toContain('## Words\n- Message: what is said\n- number: a count\n')
  expect(context).not.toContain('zebra')
  expect(prompt('A glossary', { history: messages(3) }).context).not.toContain('## Words')
})

test('cookbook recipe 6 counts the messages of each person who spoke today', () => {
  const history = messages(3)
  const now = (history.at(-1)?.entry.at ?? 0) + 1000
  const { context } = prompt('Who spoke', { history, now })
  expect(context).toMatch(/## Spoke today\n- \w+: \d/)
  expect(prompt('Who spoke', { history, now: now + 48 * HOUR }).context).not.toContain('## Spoke')
})

test('cookbook recipe 7 refuses commands at night, and still allows tools that read', () => {
  const refusal = (access: string, now: number) =>
    hook('No commands', 'before_tool_call', { access, arguments: {} }, { now }).refusal
  expect(refusal('execute', 23 * HOUR)).toContain('only from 6 to 22')
  expect(refusal('execute', 5 * HOUR)).toContain('only from 6 to 22')
  expect(refusal('execute', 12 * HOUR)).toBeUndefined()
  expect(refusal('read', 23 * HOUR)).toBeUndefined()
})

test('cookbook recipe 8 refuses changes of guarded files to models, and allows them to people', () => {
  const refusal = (file: string, by: JsonObject = { model: 'qwen' }) =>
    hook('Files', 'before_tool_call', { id: 'write_file', access: 'write', files: [file], ...by }).refusal
  expect(refusal('.git/config')).toBe('.git/config is changed by people only')
  for (const file of ['package.lock', 'sub/.git/x', 'migrations/1.sql'])
    expect(refusal(file)).toBe(`${file} is changed by people only`)
  for (const file of ['src/a.ts', 'src/migrations/1.sql', '.gitignore']) expect(refusal(file)).toBeUndefined()
  expect(refusal('.git/config', {})).toBeUndefined()
  expect(refusal('.git/config', { model: 'qwen', access: 'read' })).toBeUndefined()
})

test('cookbook recipe 8 refuses commands to models, except for tools that only read', () => {
  const refusal = (call: JsonObject) =>
    hook('Files', 'before_tool_call', { files: [], access: 'execute', model: 'qwen', ...call }).refusal
  expect(refusal({ id: 'run_command' })).toContain('only people run commands')
  expect(refusal({ id: 'Make', base: 'run_command', access: 'write' })).toContain('only people run commands')
  expect(refusal({ id: 'Grep', base: 'run_command', access: 'read' })).toBeUndefined()
  expect(refusal({ id: 'fork' })).toBeUndefined()
})

test('cookbook recipe 9 gives points to other people and shows them', () => {
  const say = (text: string, agent = false) =>
    hook('Points', 'on_message', { author: 'bob', text, agent }, { values: { points: { ann: 1 } } }).values
  expect(say('ann++ and carl++ and bob++')).toEqual([['points', { ann: 2, carl: 1 }]])
  expect(say('hello')).toEqual([])
  expect(say('ann++', true)).toEqual([])
  expect(prompt('Points', { values: { points: { carl: 1, ann: 2 } } }).context).toContain(
    '## Points\nann: 2\ncarl: 1',
  )
  expect(prompt('Points').context).not.toContain('## Points')
})

test('cookbook recipe 10 adds up the tokens of turns and logs failed turns', () => {
  const done = { outcome: 'done', user: 'ann', model: 'qwen', usage: { input: 5, output: 2 } }
  expect(hook('What each', 'after_turn', done, { values: { spent: { ann: 1 } } })).toEqual({
    values: [['spent', { ann: 8 }]],
    log: [],
  })
  const failed = { outcome: 'failed', user: 'ann', model: 'qwen', error: 'no answer' }
  expect(hook('What each', 'after_turn', failed)).toEqual({ values: [], log: ['warn: qwen: no answer'] })
})
