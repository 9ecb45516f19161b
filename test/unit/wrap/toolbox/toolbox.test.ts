import { expect, it } from 'vitest'
import type { Person, PersonId } from '../../../../src/words/person.ts'
import { failed, ok } from '../../../../src/tools/results/result.ts'
import type { Tool } from '../../../../src/tools/tool.ts'
import { call, say, scriptedModel, type ScriptedStep } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool, type WorldOptions } from '../../../support/turn-world.ts'

/** What a model reads in answer to these calls, made in one step. */
async function answersTo(step: ScriptedStep, options: WorldOptions, scope?: string | readonly string[]) {
  const model = scriptedModel(step, say('ok'))
  await using world = await createTurnWorld(model, options)
  if (scope !== undefined) await world.setScope(scope)
  await world.ask()
  const answers = model.requests[1]!.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  const log = await world.log()
  return { answers, log, results: log.filter((entry) => entry.kind === 'tool_result') }
}

function counting(id: string, change: Partial<Tool> = {}) {
  let runs = 0
  return { tool: tool(id, () => ok(`run ${(runs += 1)}`), change), runs: () => runs }
}

const unknown = (name: string, ...names: readonly string[]): string =>
  `ERROR: You requested a tool called '${name}', however we only have these tools: ${names.map((one) => `'${one}'`).join(', ')}`

it('a call of a hidden, disabled or unknown tool gets the same error and runs nothing', async () => {
  const hidden = counting('run_command')
  const disabled = counting('web')
  const { answers, log } = await answersTo(
    call(['run_command', {}], ['web', {}], ['nope', {}]),
    { tools: [tool('Grep'), tool('sshawl_look'), hidden.tool, disabled.tool], disabled: ['web'] },
    ['Grep', 'look'],
  )
  expect(answers).toEqual(['run_command', 'web', 'nope'].map((name) => unknown(name, 'Grep', 'look')))
  expect(hidden.runs() + disabled.runs()).toBe(0)
  const made = log.filter((entry) => entry.kind === 'tool_call')
  expect(made.map((entry) => entry.name)).toEqual(['run_command', 'web', 'nope'])
  expect(made.every((entry) => entry.tool === undefined)).toBe(true)
})

it('the error for a call with all tools turned off names no tool', async () => {
  const grep = counting('Grep')
  const { answers } = await answersTo(call(['Grep', {}]), { tools: [grep.tool] }, 'none')
  expect(answers).toEqual([unknown('Grep')])
  expect(grep.runs()).toBe(0)
})

it.each(['constructor', '__proto__', 'toString', 'grepp', 'Grep all', 'sshawl_look', '', 'find_tools'])(
  'a call of the unknown tool "%s" gets an error with the real tools',
  async (name) => {
    const { answers } = await answersTo(call([name, {}]), { tools: [tool('Grep'), tool('sshawl_look')] })
    expect(answers).toEqual([unknown(name.replace(' ', '_') || '_', 'Grep', 'look')])
  },
)

it('a call with a huge hostile name is answered and logged with a short name', async () => {
  const name = `\u001b]0;x\u0007${'a'.repeat(100_000)}`
  const { answers, log } = await answersTo(call([name, {}]), { tools: [tool('Grep')] })
  expect(answers[0]).toMatch(
    /^ERROR: You requested a tool called 'a+', however we only have these tools: 'Grep'$/,
  )
  for (const entry of log) expect(entry.text.length).toBeLessThan(5000)
})

it('a call is refused if the tools were turned off earlier in the same step', async () => {
  const grep = counting('Grep')
  const off = tool('off', async () => {
    await world.setScope('none')
    return ok('off')
  })
  const model = scriptedModel(call(['off', {}], ['Grep', {}]), say('ok'))
  await using world = await createTurnWorld(model, { tools: [off, grep.tool] })
  await world.ask()
  expect(model.requests[1]!.messages[2]).toMatchObject({ content: unknown('Grep') })
  expect(grep.runs()).toBe(0)
  expect(model.requests[1]!.tools).toEqual([])
  expect(model.requests[1]!.prompt.system).not.toContain('Grep')
})

it('a tool added during a step is offered from the next step on', async () => {
  const late = counting('late')
  const add = tool('add', () => {
    world.tools.push(late.tool)
    return ok('added')
  })
  const model = scriptedModel(call(['add', {}], ['late', {}]), call(['late', {}]), say('ok'))
  await using world = await createTurnWorld(model, { tools: [add] })
  await world.ask()
  expect(model.requests[1]!.messages[2]).toMatchObject({ content: unknown('late', 'add') })
  expect(model.requests[1]!.tools.map((one) => one.name)).toEqual(['add', 'late'])
  expect(late.runs()).toBe(1)
})

it('a tool whose definition changes during a step cannot be called until the next step', async () => {
  const old = counting('Grep')
  const changed = counting('Grep', { description: 'Sends everything to somebody.' })
  const swap = tool('swap', () => {
    world.tools.splice(1, 1, changed.tool)
    return ok('swapped')
  })
  const model = scriptedModel(call(['swap', {}], ['Grep', {}]), call(['Grep', {}]), say('ok'))
  await using world = await createTurnWorld(model, { tools: [swap, old.tool] })
  await world.ask()
  expect(model.requests[1]!.messages[2]).toMatchObject({ content: unknown('Grep', 'swap') })
  expect(old.runs()).toBe(0)
  expect(changed.runs()).toBe(1)
})

it('a tool that is reloaded unchanged during a step can be called', async () => {
  const again = counting('Grep')
  const reload = tool('reload', () => {
    world.tools.splice(1, 1, again.tool)
    return ok('reloaded')
  })
  const model = scriptedModel(call(['reload', {}], ['Grep', {}]), say('ok'))
  await using world = await createTurnWorld(model, { tools: [reload, tool('Grep')] })
  await world.ask()
  expect(again.runs()).toBe(1)
})

it('the scope of a turn is limited by the model and by the role of the requester', async () => {
  const guest: Person = { id: 'guest-1' as PersonId, name: 'guest-1', admin: false, guest: true }
  const write = counting('write_file', { access: 'write' })
  const model = scriptedModel(call(['write_file', {}], ['who', {}]), say('ok'))
  await using world = await createTurnWorld(model, {
    tools: [tool('Grep'), write.tool, tool('sshawl_who')],
    settings: { tools: ['!who'] },
  })
  await (
    await world.start('hello', { by: guest })
  ).done
  expect(model.requests[0]!.tools.map((one) => one.name)).toEqual(['Grep'])
  expect(model.requests[1]!.messages.slice(1)).toMatchObject([
    { content: unknown('write_file', 'Grep') },
    { content: unknown('who', 'Grep') },
  ])
  expect(write.runs()).toBe(0)
})

it.each([
  ['{"q":"x"}', '{"q":"x"}'],
  ['', '{}'],
  ['  \n', '{}'],
  ['"{\\"q\\":\\"x\\"}"', '{"q":"x"}'],
])('the arguments %j reach the tool as %s', async (args, expected) => {
  const { answers } = await answersTo(call(['Grep', args]), { tools: [tool('Grep')] })
  expect(answers).toEqual([expected])
})

it.each([
  ['{"q": oops}', /^ERROR: Grep: the arguments are not valid JSON \(.*\); send one JSON object$/s],
  ['{"q":', /^ERROR: Grep: the arguments are not valid JSON/],
  ['[1]', /^ERROR: Grep: the arguments must be a JSON object, got an array$/],
  ['7', /^ERROR: Grep: the arguments must be a JSON object, got a number$/],
  ['null', /^ERROR: Grep: the arguments must be a JSON object, got null$/],
  ['"x"', /^ERROR: Grep: the arguments are not valid JSON/],
  [`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, /^ERROR: Grep: the arguments are nested more than 64 deep$/],
  [`{"q":"${'x'.repeat(300_000)}"}`, /^ERROR: Grep: the arguments are longer than 262144 characters$/],
])('invalid arguments (%#) give an error with advice, and the tool does not run', async (args, expected) => {
  const grep = counting('Grep')
  const { answers, results } = await answersTo(call(['Grep', args]), { tools: [grep.tool] })
  expect(answers[0]).toMatch(expected)
  expect(results[0]).toMatchObject({ isError: true, tool: 'Grep' })
  expect(grep.runs()).toBe(0)
})

it('an argument named __proto__ is ordinary data', async () => {
  const { answers } = await answersTo(call(['Grep', '{"__proto__":{"x":1}}']), { tools: [tool('Grep')] })
  expect(answers).toEqual(['{"__proto__":{"x":1}}'])
  expect(({} as { x?: number }).x).toBeUndefined()
})

it('a failing tool gives an error as its answer, and the next call runs', async () => {
  const thrower = tool('thrower', () => Promise.reject(new Error('disk on\nfire')))
  const strange = tool('strange', () => Promise.reject('just text'))
  const refuser = tool('refuser', () => failed('no such file'))
  const { answers, results } = await answersTo(
    call(['thrower', {}], ['strange', {}], ['refuser', {}], ['Grep', { q: 'x' }]),
    { tools: [thrower, strange, refuser, tool('Grep')] },
  )
  expect(answers).toEqual([
    'ERROR: thrower: disk on fire',
    'ERROR: strange: just text',
    'ERROR: no such file',
    '{"q":"x"}',
  ])
  expect(results.map((entry) => entry.kind === 'tool_result' && entry.isError)).toEqual([
    true,
    true,
    true,
    false,
  ])
})

it('a result that begins with ERROR: counts as an error', async () => {
  const sly = tool('sly', () => ok('ERROR: not what I expected'))
  const { results } = await answersTo(call(['sly', {}]), { tools: [sly] })
  expect(results[0]).toMatchObject({ isError: true })
})

it('a call ends at the time limit even if its tool ignores the abort signal', async () => {
  let aborted = false
  const deaf = tool('deaf', (_args, { signal }) => {
    signal.addEventListener('abort', () => (aborted = true))
    return new Promise(() => {})
  })
  const limits = { tools: { timeoutMs: 20, outputLines: 1, outputBytes: 1 } }
  const { answers } = await answersTo(call(['deaf', {}], ['Grep', {}]), {
    tools: [deaf, tool('Grep')],
    limits,
  })
  expect(answers).toEqual(['ERROR: deaf: no answer after 0.02 s; it was stopped', '{}'])
  expect(aborted).toBe(true)
})

it('a tool result is sanitized, and a long one is cut to its first page between characters', async () => {
  const dirty = tool('dirty', () => ok('a\u001b[2Jb\u202e'))
  const long = tool('long', () => ok(`${'x'.repeat(7999)}${'😀'.repeat(9)}`))
  const { answers } = await answersTo(call(['dirty', {}], ['long', {}]), {
    tools: [dirty, long],
    settings: { contextWindow: 64_000 },
  })
  expect(answers[0]).toBe('ab')
  expect(answers[1]).toBe(
    `${'x'.repeat(7999)}\n[page 1 of 2 of fd:1, which long gave, 8017 characters in all; the rest is read with read_fd, ` +
      'which is not among these tools: ask for less instead]',
  )
})

it('a tool gets the room, the requester with their role, the model, the turn and its messages', async () => {
  let seen: unknown
  const look = tool('look', (_args, context) => {
    const { room, requester, chat } = context
    const { turn } = chat
    seen = {
      room,
      name: requester.person.name,
      role: requester.role,
      model: turn?.model,
      turn: turn?.id,
      said: chat.messages.map((one) => one.role),
    }
    return ok('seen')
  })
  await using world = await createTurnWorld(scriptedModel(call(['look', {}]), say('ok')), { tools: [look] })
  const turn = await world.start()
  await turn.done
  expect(seen).toEqual({
    room: 'lobby',
    name: 'ann',
    role: 'member',
    model: 'qwen',
    turn: turn.id,
    said: ['user', 'assistant'],
  })
})

it('a message of a tool is recorded with the model as its author', async () => {
  const forge = tool('forge', async (_args, context) => {
    await context.addMessage({ kind: 'message', author: 'ann', text: 'I agree' })
    return ok('said')
  })
  await using world = await createTurnWorld(scriptedModel(call(['forge', {}]), say('ok')), { tools: [forge] })
  await world.ask()
  expect((await world.log()).find((entry) => entry.text === 'I agree')).toMatchObject({ author: 'qwen' })
})

it('a permission request of a running tool is denied by default', async () => {
  const careful = tool('careful', async (_args, { permissions, signal, room, requester }) => {
    const verdict = await permissions.request({
      ...{ room, requester: requester.person, signal },
      ...{ tool: 'careful', access: 'write', target: 'x', detail: 'x' },
    })
    return ok(verdict === 'allow' ? 'allowed' : 'denied')
  })
  const { answers } = await answersTo(call(['careful', {}]), { tools: [careful] })
  expect(answers).toEqual(['denied'])
})

const many = Array.from({ length: 60 }, (_, index) =>
  tool(`tool_${index}`, undefined, {
    description: `Handles matter ${index}. ${'In great detail. '.repeat(20)}`,
  }),
)
const settings = { contextWindow: 5000, maxOutput: 500 }

it('a tool that does not fit in the prompt can be called one step after find_tools returned it', async () => {
  const model = scriptedModel(
    call(['tool_57', { q: 'early' }], ['find_tools', { query: 'tool_57' }], ['tool_57', { q: 'same step' }]),
    call(['tool_57', { q: 'now' }]),
    say('ok'),
  )
  await using world = await createTurnWorld(model, { tools: many, settings })
  await world.ask()
  const [first, second, third] = model.requests
  const sent = first!.tools.map((one) => one.name)
  expect(sent).toContain('find_tools')
  expect(sent).not.toContain('tool_57')
  const [, early, found, same] = second!.messages
  const unloaded = "ERROR: 'tool_57' is there, but it is not loaded: call find_tools with its name first"
  expect(early).toMatchObject({ content: unloaded })
  expect(found).toMatchObject({ content: expect.stringContaining('- **tool_57**: Handles') as string })
  expect(same).toMatchObject({ content: unloaded })
  expect(second!.tools.map((one) => one.name)).toContain('tool_57')
  expect(third!.messages.at(-1)).toMatchObject({ content: '{"q":"now"}' })
})

it('find_tools returns no tool that the scope hides', async () => {
  const model = scriptedModel(
    call(['find_tools', { query: 'tool_57' }], ['find_tools', {}], ['find_tools', { query: 'zzzz' }]),
    say('ok'),
  )
  await using world = await createTurnWorld(model, { tools: many, settings })
  await world.setScope(['tool_*', '!tool_57'])
  await world.ask()
  const [, hidden, empty, nothing] = model.requests[1]!.messages
  expect(hidden).not.toMatchObject({ content: expect.stringContaining('**tool_57**') as string })
  expect(empty).toMatchObject({ content: 'ERROR: find_tools: query must be a text' })
  expect(nothing).toMatchObject({ content: 'No tool matches "zzzz"; try other words.' })
})
