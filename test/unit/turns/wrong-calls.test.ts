import { expect, it } from 'vitest'
import { createModel } from '../../../src/models/providers.ts'
import { ok } from '../../../src/tools/results/result.ts'
import { createWrittenCallNotice } from '../../../src/turns/wrong-calls.ts'
import { anthropicAnswer } from '../../support/hosted-wires.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { answer, calls, says, startModelServer, type Script } from '../../support/model-server.ts'
import { createTurnWorld, tool, type WorldOptions } from '../../support/turn-world.ts'

async function play(scripts: readonly Script[], options: WorldOptions = {}, scope = ['all']) {
  await using server = await startModelServer()
  const settings = { ...sampleConfig({ endpoint: server.endpoint }), ...options.settings }
  await using world = await createTurnWorld(createModel(settings), { ...options, settings })
  if (scope[0] !== 'all') await world.setScope(scope)
  server.play(...scripts)
  const turn = await world.start()
  const last = await turn.done
  return {
    last,
    lines: await world.lines(),
    log: world.chatParts.log.lines,
    record: await world.chatParts.storage.models.turns.find(turn.id),
    /** What the last request has of the calls before it. */
    messages: server.requests.at(-1)!.body.messages.slice(2),
  }
}

const own = (name: string) => tool(name, () => ok(`ran ${name}`))

/** The name under which a call is repeated to the provider, and its result. */
async function called(name: string, names: readonly string[], scope?: string[]) {
  const { messages } = await play([calls(name, { q: 'x' }), says('ok')], { tools: names.map(own) }, scope)
  const [said, result] = messages as unknown as [
    { tool_calls: readonly { function: { name: string } }[] },
    { content: string },
  ]
  return { name: said.tool_calls[0]!.function.name, result: result.content }
}

it.each([
  'functions.calculator',
  'Calculator',
  ' calculator',
  'calculator<|channel|>commentary',
  'functions.Calculator:0',
  'default_api.calculator',
])(
  'the tool name %j is resolved to the only matching tool, which the history shows as well',
  async (name) => {
    expect(await called(name, ['calculator', 'look'])).toEqual({
      name: 'calculator',
      result: 'ran calculator',
    })
  },
)

it('an inexact name of find_tools is resolved as well', async () => {
  const many = Array.from({ length: 80 }, (_, index) =>
    tool(`tool_${index}`, undefined, { description: 'Handles a matter. '.repeat(40) }),
  )
  const { messages } = await play([calls('functions.Find_Tools', { query: 'matter' }), says('ok')], {
    tools: many,
    settings: { contextWindow: 5000, maxOutput: 500 },
  })
  expect(messages[1]!.content).not.toMatch(/^ERROR/)
})

it('an inexact tool name is an error if it matches two tools', async () => {
  const { name, result } = await called('GREP', ['Grep', 'grep'])
  expect(name).toBe('GREP')
  expect(result).toMatch(/^ERROR: You requested a tool called 'GREP'/)
})

it('an exact match in the same case is preferred to a tool whose name has another case', async () => {
  expect((await called('functions.grep', ['Grep', 'grep'])).result).toBe('ran grep')
})

it('an inexact tool name never resolves to a tool outside of the scope', async () => {
  for (const name of ['functions.calculator', 'Calculator', ' calculator']) {
    const { result } = await called(name, ['calculator', 'look'], ['!calculator'])
    expect(result).toMatch(/^ERROR: You requested .* these tools: 'look'$/)
  }
})

it('a tool name does not resolve to another tool when its own tool leaves the scope in mid-turn', async () => {
  await using server = await startModelServer()
  const settings = sampleConfig({ endpoint: server.endpoint })
  await using world = await createTurnWorld(createModel(settings), {
    tools: ['Calc', 'calc'].map(own),
    settings,
  })
  server.play(
    async (response, request) => {
      await world.setScope(['!Calc'])
      await calls('Calc', { q: 'a' }, 'c1')(response, request)
    },
    calls('Calc', { q: 'b' }, 'c2'),
    says('ok'),
  )
  await world.ask()
  const results = server.requests[2]!.body.messages.filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => String(content))).toEqual([
    expect.stringMatching(/^ERROR/),
    expect.stringMatching(/^ERROR/),
  ])
})

it('an unknown tool name is sent back to the provider as a valid name', async () => {
  for (const name of ['検索', 'fs.read all', '9lives', '<|x|>', 'a'.repeat(200)])
    expect((await called(name, ['look'])).name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
})

const half = (args: string) => ({ call: { index: 0, id: 'c1', name: 'Grep', arguments: args } })

it.each(['{"q":"TO', '', '{}'])(
  'a call with %j that max_output cut is not run, and the model gets the reason',
  async (args) => {
    const { messages, last } = await play([answer([half(args)], { reason: 'length' }), says('ok')], {
      tools: [own('Grep')],
    })
    expect(messages[1]!.content).toBe('ERROR: Grep: the answer reached max_output; send less at once')
    expect(last).toMatchObject({ kind: 'reply', text: 'ok' })
  },
)

it('a complete call in an answer cut at max_output is run', async () => {
  const whole = { call: { index: 0, id: 'c1', name: 'Grep', arguments: '{"q":"a"}' } }
  const cut = { call: { index: 1, id: 'c2', name: 'Grep', arguments: '{"q":' } }
  const { messages } = await play([answer([whole, cut], { reason: 'length' }), says('ok')], {
    tools: [own('Grep')],
  })
  expect(messages.slice(1).map(({ content }) => content)).toEqual([
    'ran Grep',
    'ERROR: Grep: the answer reached max_output; send less at once',
  ])
})

it("a call that Anthropic's max_tokens cut is reported to the model", async () => {
  const block = { type: 'tool_use', id: 'toolu_1', name: 'Grep', input: {} }
  const delta = { type: 'input_json_delta', partial_json: '{"q":"TO' }
  const end = anthropicAnswer({ type: 'text', text: '' }, { type: 'text_delta', text: 'ok' }, 'end_turn')
  const { lines } = await play([anthropicAnswer(block, delta, 'max_tokens'), end], {
    tools: [own('Grep')],
    settings: { backend: 'anthropic', apiKey: 'k' },
  })
  expect(lines.join('\n')).toContain('the answer reached max_output; send less at once')
})

const written = '<tool_call>\n{"name": "Grep", "arguments": {"q": "x"}}\n</tool_call>'
const warnings = (log: readonly unknown[]) =>
  log.filter((line) => JSON.stringify(line).includes('wrote a tool call as text'))

it('a tool call written as text is logged as a warning and is no part of the reply', async () => {
  const { log, last, record } = await play([says('Let me see.\n', written)], { tools: [own('Grep')] })
  expect(warnings(log)).toHaveLength(1)
  expect(last.text).toBe('Let me see.')
  expect(record?.error).toBe(`it wrote a tool call as text: ${written}`)
})

it('an answer that is only a tool call written as text is shown as such', async () => {
  const { last } = await play([says(written)], { tools: [own('Grep')] })
  expect(last).toMatchObject({ kind: 'reply', text: '(it wrote a tool call as text; /turn shows it)' })
})

it('a tool call in code, in a sentence or without tools causes no warning', async () => {
  for (const text of [`Write:\n\`\`\`\n${written}\n\`\`\`\n`, 'It writes `<tool_call>{…}` then.'])
    expect(warnings((await play([says(text)], { tools: [own('Grep')] })).log)).toEqual([])
  expect(warnings((await play([says(written)])).log)).toEqual([])
})

it('admins are told once per model about tool calls written as text', () => {
  const told: string[] = []
  const tell = createWrittenCallNotice(memoryLog(), (text) => void told.push(text))
  for (const model of ['qwen', 'llama', 'qwen']) tell(model)
  expect(told).toEqual([
    "@qwen wrote a tool call as text: its server's tool parser is off; docs/models.md says how to turn it on",
    expect.stringContaining('@llama'),
  ])
})

it.each([
  ['in its own field', answer([{ reasoning: 'Hm, who is ann?' }])],
  ['between tags', says('<think>Hm, who is ann?</think>\n')],
])(
  'an answer that only contains thoughts %s is shown as such, and recorded with the turn',
  async (_, script) => {
    const { last, record } = await play([script])
    expect(last).toMatchObject({
      kind: 'reply',
      text: '(it only thought; /turn shows what)',
      outcome: 'done',
    })
    expect(record).toMatchObject({ outcome: 'done', error: 'it only thought: Hm, who is ann?' })
  },
)

it('an answer of only thoughts that max_output cut has both notices', async () => {
  const { lines } = await play([answer([{ reasoning: 'Hm' }], { reason: 'length' })])
  expect(lines).toEqual([
    'reply: (it only thought; /turn shows what)',
    "notice: @qwen's answer was cut at its max_output",
  ])
})
