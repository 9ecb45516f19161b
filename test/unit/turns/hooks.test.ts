import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Person } from '../../../src/words/person.ts'
import type { Json } from '../../../src/base/json.ts'
import { writeFile } from '../../../src/tools/builtin/files.ts'
import type { Workspace } from '../../../src/tools/workspace.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { call, say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'
import { openWorkspace } from '../../support/workspace.ts'
import { createHookScripts } from '../../../src/turns/hook-scripts.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import { openInMemory, room } from '../../support/storage.ts'

const WRAP = 'function default_wrap(t) return wrap(t):system():tools(room_tool_scope()):history() end\n'

async function scripted(world: TurnWorld, source: string): Promise<void> {
  const { storage, clock } = world.chatParts
  await storage.prompts.scripts.put({
    room: world.room.name,
    source: WRAP + source,
    author: 'ann',
    at: clock.now(),
  })
}

const valueOf = (world: TurnWorld, key: string): Promise<Json | undefined> =>
  world.chatParts.storage.chat.rooms.getValue(world.room.name, key)

const speak = (world: TurnWorld, text: string, { name }: Person = world.ann) =>
  world.room.record({ kind: 'message', author: name, text })

/** A turn that calls `look` once; gives what the model was told, and how often the tool ran. */
async function callUnder(
  source: string,
): Promise<{ answer: string; runs: number; lines: readonly string[] }> {
  const model = scriptedModel(call(['look', { q: 'x' }]), say('done'))
  let runs = 0
  const look = tool('look', () => ({ content: `ran ${(runs += 1)}`, isError: false }))
  await using world = await createTurnWorld(model, { tools: [look] })
  await scripted(world, source)
  await world.ask()
  const [answer = ''] = model.requests[1]!.messages.flatMap((step) =>
    step.role === 'tool' ? [step.content] : [],
  )
  return { answer, runs, lines: await world.lines() }
}

test('a tool call runs if before_tool_call returns nil', async () => {
  expect(await callUnder('function before_tool_call() end')).toMatchObject({ answer: 'ran 1', runs: 1 })
})

test('a tool call is refused with the text of before_tool_call, which the model and the room see', async () => {
  const { answer, runs, lines } = await callUnder(
    'function before_tool_call(call) if call.access == "read" then return call.id .. " not now, " .. call.user .. call.arguments.q end end',
  )
  expect(answer).toBe("ERROR: look: refused by the room's script: look not now, annx")
  expect(runs).toBe(0)
  expect(lines.join('\n')).toContain("refused by the room's script: look not now, annx")
})

test.each([
  [
    'fails',
    '\nfunction before_tool_call(call)\n  return call.nope.x\nend',
    'script:4: attempt to index a nil',
  ],
  [
    'gives something else',
    'function before_tool_call() return true end',
    'must return nil or a text, it returned true',
  ],
  ['is no function', 'before_tool_call = 5', 'before_tool_call must be a function, it is 5'],
  ['never ends', 'function before_tool_call() while true do end end', 'it runs longer than'],
  [
    'gives ten million bytes',
    'function before_tool_call() return ("x"):rep(10000000) end',
    'before_tool_call must return a text of at most 16384 bytes, it returned 10000000',
  ],
  [
    'catches its end',
    'function before_tool_call() while true do pcall(function() while true do end end) end end',
    'it runs longer',
  ],
  [
    'wants a prompt',
    'function before_tool_call() tools.history() end',
    'script:2: tools.history is for prompts: a hook cannot use it',
  ],
  [
    'sets a value',
    'function before_tool_call() tools.room_kv_set("a", 1) end',
    'script:2: tools.room_kv_set: before_tool_call cannot',
  ],
])(
  'a tool call is refused with the error of the script if before_tool_call %s',
  async (_what, source, problem) => {
    const { answer, runs } = await callUnder(source)
    expect(answer).toContain("not run: the room's script failed in before_tool_call: ")
    expect(answer).toContain(problem)
    expect(runs).toBe(0)
  },
)

test('before_tool_call cannot allow a tool that the scope hides', async () => {
  const model = scriptedModel(call(['look', {}]), say('done'))
  await using world = await createTurnWorld(model, { tools: [tool('look')] })
  await scripted(world, 'function before_tool_call() return nil end')
  await world.setScope('none')
  await world.ask()
  expect((await world.lines()).join('\n')).toContain('we only have these tools')
})

/** The calls as a hook saw them that refuses each with its own words. */
async function seen(
  calls: readonly (readonly [name: string, args: object])[],
  tools: readonly Tool[],
  workspace?: Workspace,
): Promise<readonly string[]> {
  const model = scriptedModel(
    ...calls.map(([name, args], index) => call([name, args, `c${index}`])),
    say('end'),
  )
  await using world = await createTurnWorld(model, { tools, ...(workspace ? { workspace } : {}) })
  await scripted(
    world,
    `function before_tool_call(call)
        return call.name .. " is " .. call.id .. (call.base or "") .. ": " .. table.concat(call.files, ",")
      end`,
  )
  await world.ask()
  const results = (await world.log()).filter(({ kind }) => kind === 'tool_result')
  return results.map(({ text }) => text.replace(/^.*by the room's script: /, ''))
}

test('before_tool_call gets the same id for a tool, its aliases and a tool that it replaces', async () => {
  const tools = [
    tool('read_file'),
    tool('Read', undefined, { aliasOf: 'read_file' }),
    tool('Lese', undefined, { aliasOf: 'Read' }),
    tool('grep', undefined, { yields: true }),
    tool('Grep', undefined, { base: 'run_command' }),
  ]
  const names = ['Lese', 'Grep'].map((name) => [name, {}] as const)
  expect(await seen(names, tools)).toEqual(['Lese is read_file: ', 'Grep is greprun_command: '])
  expect(await seen([['read_file', {}]], tools.slice(0, 1))).toEqual(['read_file is read_file: '])
  expect(await seen([['grep', {}]], tools.slice(3, 4))).toEqual(['grep is grep: '])
})

test('before_tool_call gets the resolved path of a file, however the model writes the path', async () => {
  await using opened = await openWorkspace()
  await mkdir(join(opened.files, 'migrations'))
  await symlink('migrations', join(opened.files, 'link'))
  const paths = [
    './migrations/x',
    'a/../migrations/x',
    './/migrations//x',
    'link/x',
    '/workspace/migrations/x',
  ]
  for (const file_path of [...paths, '../out'])
    expect(await seen([['write_file', { file_path, content: '' }]], [writeFile], opened.workspace)).toEqual([
      `write_file is write_file: ${file_path === '../out' ? file_path : 'migrations/x'}`,
    ])
})

test('on_message runs in the order of the log, and its values are stored', async () => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(
    world,
    'function on_message(entry) tools.room_kv_set("seen", (tools.room_kv_get("seen") or "") .. entry.text .. ",") end',
  )
  await Promise.all(['a', 'b', 'c', 'd'].map((text) => speak(world, text)))
  await vi.waitFor(async () => expect(await valueOf(world, 'seen')).toBe('a,b,c,d,'))
})

test('on_message is not called for edits and reactions', async () => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(
    world,
    'function on_message(entry) tools.room_kv_set("seen", (tools.room_kv_get("seen") or "") .. entry.text .. ",") end',
  )
  const first = await world.room.record({ kind: 'message', author: 'ann', text: 'a' })
  await world.room.record({ kind: 'message', author: 'ann', text: 'b', edits: first.id })
  await world.room.record({ kind: 'action', author: 'ann', text: 'c', reacts: first.id })
  await speak(world, 'd')
  await vi.waitFor(async () => expect(await valueOf(world, 'seen')).toBe('a,d,'))
})

test('an error of on_message is shown once per script version, and logged each time', async () => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(world, '\nfunction on_message(entry)\n  error("no " .. entry.text)\nend')
  for (const text of ['a', 'b', 'c']) await speak(world, text)
  await vi.waitFor(() => expect(world.hooks.logOf(world.room.name)).toHaveLength(3))
  expect(world.hooks.logOf(world.room.name)[2]).toMatch(/Z  on_message  failed: script:4: no c$/)
  const notices = (await world.lines()).filter((line) => line.startsWith('notice'))
  expect(notices).toEqual([
    "notice: the room's script failed in on_message: script:4: no a (reported once; /script log has further failures)",
  ])
})

test('a hook that sets a value calls no other hook, and an endless hook does not block the next one', async () => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(
    world,
    `function on_message(entry)
        tools.log("info", entry.author)
        if entry.text == "slow" then while true do end end
        tools.room_kv_set("count", (tools.room_kv_get("count") or 0) + 1)
      end`,
  )
  await speak(world, 'slow')
  await speak(world, 'quick')
  await vi.waitFor(async () => expect(await valueOf(world, 'count')).toBe(1), { timeout: 10_000 })
  expect(await world.chatParts.storage.chat.rooms.values(world.room.name)).toEqual(new Map([['count', 1]]))
  expect(world.hooks.logOf(world.room.name)).toHaveLength(2)
})

test.each([
  ['tool_scope', '"all"', 'tool_scope is set with the command tools'],
  ['exits', '{}', 'exits is set with the command portal'],
  ['summarizer', '"qwen"', 'summarizer is set with the command kv'],
  ['a/b', '1', 'a key is 1-64 of letters'],
  ['big', '("x"):rep(20000)', 'a value has at most 16384 characters'],
  ['f', 'print', 'a value is text, a number'],
  ['n', '0/0', 'script:2: tools.room_kv_set: a number must be finite, got '],
  ['n', '{ a = { -1/0 } }', 'script:2: tools.room_kv_set: a number must be finite, got -inf'],
  ['n', '9007199254740993', 'beyond 2^53 loses digits; store it as text, got 9007199254740993'],
])('on_message cannot set %s to %s', async (key, value, problem) => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(world, `function on_message() tools.room_kv_set("${key}", ${value}) end`)
  await speak(world, 'hi')
  await vi.waitFor(() => expect(world.hooks.logOf(world.room.name).join()).toContain(problem))
  expect(await valueOf(world, key)).toBeUndefined()
})

test.each([
  [
    '{ sing = "hi", [1] = 2, webhook = "ci" }',
    ['the answer has unknown keys: 1, sing; on_message takes ask, say, text, webhook'],
  ],
  ['{ webhook = "ci" }', []],
  ['{}', []],
])('/script log names the unknown keys of %s from on_message', async (answer, problems) => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(
    world,
    `function on_message(entry)
      if entry.text == "hi" then return ${answer} end
      tools.log("info", "end")
    end`,
  )
  await speak(world, 'hi')
  await speak(world, 'bye')
  await vi.waitFor(() => expect(world.hooks.logOf(world.room.name).join()).toContain('info: end'))
  const warnings = world.hooks.logOf(world.room.name).filter((line) => line.includes('warning: '))
  expect(warnings.map((line) => line.replace(/^.*on_message  warning: /, ''))).toEqual(problems)
})

test.each([
  ['{ say = 5 }', 'say must be a text, it is 5'],
  ['{ ask = "@qwen" }', 'ask and text go together'],
  ['{ text = "hi" }', 'ask and text go together'],
  ['{ say = "hi", ask = "@qwen", text = "hi" }', 'an answer has say or ask, not both'],
  ['{ say = ("x"):rep(20000) }', 'must return a text of at most 16384 bytes, it returned 20000'],
])('on_message fails if it returns %s', async (answer, problem) => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(world, `function on_message() return ${answer} end`)
  await speak(world, 'hi')
  await vi.waitFor(() => expect(world.hooks.logOf(world.room.name).join()).toContain(problem))
})

test('on_message is called only for messages of its own room', async () => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(world, 'function on_message(entry) tools.log("info", entry.text) end')
  const den = await world.chatParts.rooms.create('den', world.ann, { private: true })
  await den.record({ kind: 'message', author: 'ann', text: 'secret' })
  await speak(world, 'open')
  await vi.waitFor(() => expect(world.hooks.logOf(world.room.name)).toHaveLength(1))
  expect(world.hooks.logOf(world.room.name)[0]).toContain('info: open')
  expect(world.hooks.logOf(den.name)).toEqual([])
})

test('a flood of messages in a room without on_message drops no hook calls', async () => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(world, 'function after_turn() end')
  await Promise.all(Array.from({ length: 200 }, (_, index) => speak(world, `m${index}`)))
  // A call that waits behind them all shows that they were looked at.
  world.hooks.afterTurn(world.room, {})
  await speak(world, 'last')
  await world.hooks[Symbol.asyncDispose]()
  expect(world.chatParts.log.lines.filter((line) => line.includes('too many calls'))).toEqual([])
  expect(world.hooks.logOf(world.room.name)).toEqual([])
})

test('a flood of messages drops on_message calls beyond the limit and logs that', async () => {
  await using world = await createTurnWorld(scriptedModel())
  await scripted(world, 'function on_message(entry) tools.room_kv_set("last", entry.text) end')
  await Promise.all(Array.from({ length: 200 }, (_, index) => speak(world, `m${index}`)))
  await vi.waitFor(() => expect(world.hooks.logOf(world.room.name).join()).toContain('too many calls'))
  await vi.waitFor(async () => expect(await valueOf(world, 'last')).toMatch(/^m\d+$/))
})

test('after_turn gets the outcome and the text of the turn', async () => {
  await using world = await createTurnWorld(scriptedModel(say('hello ann')))
  await scripted(world, 'function after_turn(turn) tools.room_kv_set("turn", turn) end')
  await world.ask()
  await vi.waitFor(async () =>
    expect(await valueOf(world, 'turn')).toMatchObject({
      model: 'qwen',
      user: 'ann',
      outcome: 'done',
      text: 'hello ann',
    }),
  )
})

test('/script log names the unknown keys that after_turn returns', async () => {
  await using world = await createTurnWorld(scriptedModel(say('hello ann')))
  await scripted(world, 'function after_turn() return { webhook = "ci" } end')
  await world.ask()
  await vi.waitFor(() =>
    expect(world.hooks.logOf(world.room.name).join()).toMatch(
      /after_turn {2}warning: the answer has unknown keys: webhook; after_turn takes none$/,
    ),
  )
})

const lobby = 'lobby' as RoomName
const scriptWith = (source: string) => ({ room: lobby, source, author: 'ann', at: 0 })

/** Scripts over a real store that counts how often one is read, and can be kept waiting. */
async function startScripts() {
  const storage = await openInMemory()
  await storage.chat.rooms.create(room('lobby', {}))
  let reads = 0
  let beforeAnswer: () => Promise<unknown> = async () => undefined
  const scripts = createHookScripts({
    ...storage.prompts.scripts,
    async current(name) {
      reads++
      const script = await storage.prompts.scripts.current(name)
      await beforeAnswer()
      return script
    },
  })
  return {
    rooms: storage.chat.rooms,
    scripts,
    reads: () => reads,
    whileReading: (work: () => Promise<unknown>) => void (beforeAnswer = work),
  }
}

test('the hooks of a room are read once, and again after a new script is stored', async () => {
  const { scripts, reads } = await startScripts()
  for (let time = 0; time < 9; time++) expect(await scripts.withHook(lobby, 'on_message')).toBe(undefined)
  expect(await scripts.withHook(lobby, 'after_turn')).toBe(undefined)
  expect(reads()).toBe(1)
  await scripts.put(scriptWith('function on_message() end'))
  expect(await scripts.withHook(lobby, 'on_message')).toMatchObject({ version: 1 })
  expect(await scripts.withHook(lobby, 'before_tool_call')).toBe(undefined)
  expect(reads()).toBe(2)
  await scripts.put(scriptWith(''))
  expect(await scripts.withHook(lobby, 'on_message')).toBe(undefined)
})

test('a room that was forked has the hooks of the script it copied', async () => {
  const { scripts, rooms } = await startScripts()
  await scripts.put(scriptWith('function on_message() end'))
  await rooms.fork(lobby, room('den', {}))
  expect(await scripts.withHook('den' as RoomName, 'on_message')).toMatchObject({ version: 1 })
})

test('a script that was read while a newer one was stored is not cached', async () => {
  const { scripts, whileReading } = await startScripts()
  let isFirst = true
  whileReading(async () => {
    if (!isFirst) return
    isFirst = false
    await scripts.put(scriptWith('function on_message() end'))
  })
  expect(await scripts.withHook(lobby, 'on_message')).toBe(undefined)
  expect(await scripts.withHook(lobby, 'on_message')).toMatchObject({ version: 1 })
})
