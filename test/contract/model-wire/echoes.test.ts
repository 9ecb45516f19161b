import { expect, test } from 'vitest'
import type { ModelConfig } from '../../../src/models/providers.ts'
import { createModel } from '../../../src/models/providers.ts'
import { ok } from '../../../src/tools/results/result.ts'
import { anthropicAnswer, eventStream, responsesAnswer } from '../../support/hosted-wires.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { raw, says, startModelServer, status, type Script } from '../../support/model-server.ts'
import { createTurnWorld, tool } from '../../support/turn-world.ts'
import { sse } from './case.ts'

// What a model thought and marked goes back in the next step as it came, unless its server refuses it.

type Access = Partial<ModelConfig> & Pick<ModelConfig, 'backend'>

/** Asks twice. Returns the bodies of all requests, and how the turns ended. */
async function play(access: Access, ...scripts: readonly Script[]) {
  await using server = await startModelServer()
  const settings = sampleConfig({ endpoint: server.endpoint, apiKey: 'k', ...access })
  const look = tool('look', () => ok('a sofa'))
  await using world = await createTurnWorld(createModel(settings), { settings, tools: [look] })
  server.play(...scripts)
  const ends = [(await world.ask()).text, (await world.ask()).text]
  return { ends, bodies: server.requests.map(({ body }) => body) }
}

const CHAT: readonly Access[] = [
  { backend: 'openai' },
  { backend: 'openai-compatible' },
  { backend: 'llamacpp' },
]
const RESPONSES: Access = { backend: 'openai', api: 'responses', model: 'gpt-5.3-codex' }

/** An answer with these deltas and a call of `look` with this id. */
function chatCall(id: string, ...deltas: readonly object[]): Script {
  const call = { tool_calls: [{ index: 0, id, function: { name: 'look', arguments: '{}' } }] }
  const events = [...deltas, call].map((delta) => ({ choices: [{ delta }] }))
  return raw(sse(...events, { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }))
}

const saysDone = says('done')

const assistantIn = (body: object | undefined): Record<string, unknown> => {
  const { messages } = body as { messages: readonly Record<string, unknown>[] }
  return messages.find(({ role }) => role === 'assistant')!
}

const DETAILS = [
  { type: 'reasoning.text', text: 'hm, so', index: 0, format: 'x', signature: 's' },
  { type: 'reasoning.encrypted', data: 'AAAA', index: 1, format: 'x' },
  { type: 'reasoning.encrypted', data: 'BBBB', index: 1, format: 'x' },
]
const [text, ...sealed] = DETAILS
const PIECES = [
  { ...text!, text: 'hm, ', signature: null },
  { ...text!, text: 'so' },
]

const BLOCKS = [
  { type: 'thinking', thinking: 'hm', signature: 's' },
  { type: 'thinking', thinking: 'so', signature: 't' },
  { type: 'redacted_thinking', data: 'AAAA' },
]

const THOUGHTS: readonly (readonly [name: string, deltas: readonly object[], back: object])[] = [
  [
    'reasoning_content',
    [{ reasoning_content: 'h' }, { reasoning_content: 'm' }],
    { reasoning_content: 'hm' },
  ],
  ['reasoning', [{ reasoning: 'h' }, { reasoning: 'm' }], { reasoning: 'hm' }],
  [
    'reasoning_details beside reasoning',
    [
      { reasoning: 'hm, ', reasoning_details: [PIECES[0]] },
      { reasoning: 'so', reasoning_details: [PIECES[1]] },
      { reasoning: null, reasoning_details: sealed },
    ],
    { reasoning: 'hm, so', reasoning_details: DETAILS },
  ],
  ['reasoning_details alone', [{ reasoning_details: DETAILS }], { reasoning_details: DETAILS }],
  [
    'thinking_blocks beside reasoning_content',
    [
      { reasoning_content: 'h', thinking_blocks: [{ type: 'thinking', thinking: 'h', signature: null }] },
      { reasoning_content: 'm', thinking_blocks: [{ type: 'thinking', thinking: 'm', signature: null }] },
      { reasoning_content: '', thinking_blocks: [{ type: 'thinking', thinking: '', signature: 's' }] },
      { thinking_blocks: BLOCKS.slice(1) },
    ],
    { reasoning_content: 'hm', thinking_blocks: BLOCKS },
  ],
  [
    'a list in the content',
    [
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'h' }] }] },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'm' }] }] },
      { content: 'I look.' },
    ],
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'I look.' },
      ],
    },
  ],
]

const NAMES = ['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks', 'content'] as const

test.each(
  CHAT.flatMap((access) => THOUGHTS.map((thought) => ({ ...access, access, thought, name: thought[0] }))),
)(
  'a thought that $backend sent as $name goes back under that name, in this turn only',
  async ({ access, thought: [, deltas, back] }) => {
    const { ends, bodies } = await play(access, chatCall('call_a', ...deltas), saysDone, saysDone)
    expect(ends).toEqual(['done', 'done'])
    const said = assistantIn(bodies[1])
    const named = Object.fromEntries(
      NAMES.flatMap((name) => (name in said && said[name] !== null ? [[name, said[name]]] : [])),
    )
    expect(named).toEqual(back)
    expect(JSON.stringify(bodies[2])).not.toMatch(/hm|reasoning_/)
  },
)

const phased = (phase: string): readonly { readonly type: string; readonly [key: string]: unknown }[] => [
  { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'I look.' },
  {
    type: 'response.output_item.done',
    item: { type: 'message', id: 'msg_1', phase, content: [{ type: 'output_text', text: 'I look.' }] },
  },
]
const sealedItem = {
  type: 'response.output_item.done',
  item: { type: 'reasoning', id: 'rs_1', encrypted_content: 'AAAA', summary: [] },
}
const responsesCall = (call_id = 'call_1') => ({
  type: 'response.output_item.done',
  item: { type: 'function_call', id: 'fc_1', call_id, name: 'look', arguments: '{}' },
})
const responsesSays = responsesAnswer({ type: 'response.output_text.delta', item_id: 'm', delta: 'done' })

test('the phase of a text of the Responses API goes back with it', async () => {
  const first = responsesAnswer(...phased('commentary'), responsesCall())
  const { bodies } = await play(RESPONSES, first, responsesSays, responsesSays)
  expect(bodies[1]!['input']).toContainEqual({
    role: 'assistant',
    content: [{ type: 'output_text', text: 'I look.' }],
    phase: 'commentary',
  })
})

const anthropicCall = (id = 'toolu_1') =>
  eventStream(
    { type: 'message_start', message: {} },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'AAAA' } },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id, name: 'look', input: {} },
    },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  )
const anthropicSays = anthropicAnswer(
  { type: 'text', text: '' },
  { type: 'text_delta', text: 'done' },
  'end_turn',
)

const gemini = (part: object) =>
  eventStream({ candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] })
const geminiCall = gemini({ functionCall: { name: 'look', args: {} }, thoughtSignature: 'AAAA' })

interface Refused {
  readonly access: Access
  readonly field: string
  readonly words: string
  readonly called: Script
  readonly says?: Script
}

const GROQ = (field: string) =>
  `'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property '${field}' is unsupported)]`
const CEREBRAS = (field: string) =>
  `messages.2.assistant.${field}: property 'messages.2.assistant.${field}' is unsupported`
const PYDANTIC = (field: string) =>
  `[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","${field}"],"msg":"Extra inputs are not permitted"}]`

/** `field` is a word that the refused request has and the next ones have not. */
const REFUSED: readonly Refused[] = [
  ...CHAT.flatMap((access) =>
    [GROQ, CEREBRAS, PYDANTIC].flatMap((words) =>
      ['reasoning_content', 'reasoning'].map((field) => ({
        ...{ access, field: `"${field}"`, words: words(field) },
        called: chatCall('call_a', { [field]: 'hm' }),
      })),
    ),
  ),
  ...CHAT.map((access) => ({
    ...{ access, field: 'reasoning_details', words: GROQ('reasoning_details') },
    called: chatCall('call_a', { reasoning_details: DETAILS }),
  })),
  ...CHAT.map((access) => ({
    ...{ access, field: 'thinking_blocks', words: GROQ('thinking_blocks') },
    called: chatCall('call_a', { thinking_blocks: BLOCKS }),
  })),
  {
    access: { backend: 'openai-compatible' },
    field: 'extra_content',
    words: 'messages.2.tool_calls.0.extra_content: Extra inputs are not permitted',
    called: chatCall('call_a', {
      tool_calls: [{ index: 0, id: 'call_a', extra_content: { google: { thought_signature: 'AAAA' } } }],
    }),
  },
  {
    ...{ access: RESPONSES, field: 'phase', words: "Unknown parameter: 'input[2].phase'." },
    ...{ called: responsesAnswer(...phased('commentary'), responsesCall()), says: responsesSays },
  },
  {
    ...{ access: RESPONSES, field: 'rs_1', words: "Unknown parameter: 'input[2].encrypted_content'." },
    ...{ called: responsesAnswer(sealedItem, responsesCall()), says: responsesSays },
  },
  {
    ...{ access: { backend: 'anthropic' }, field: 'AAAA', says: anthropicSays, called: anthropicCall() },
    words: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  {
    ...{ access: { backend: 'anthropic' }, field: 'cache_control', says: anthropicSays },
    ...{ called: anthropicCall(), words: 'tools.0.custom.cache_control: Extra inputs are not permitted' },
  },
  {
    ...{ access: { backend: 'gemini' }, field: 'thoughtSignature', says: gemini({ text: 'done' }) },
    ...{
      called: geminiCall,
      words: 'Unknown name "thoughtSignature" at \'contents[1].parts[0]\': Cannot find field.',
    },
  },
]

test.each(REFUSED.map((one) => ({ ...one, ...one.access })))(
  '$backend refuses $field of an earlier step once ($words)',
  async ({ access, field, words, called, says: spoken = saysDone }) => {
    const { ends, bodies } = await play(access, called, status(400, words), spoken, called, spoken)
    expect(ends).toEqual(['done', 'done'])
    const have = bodies.map((body) =>
      JSON.stringify(body['messages'] ?? body['input'] ?? body['contents']).includes(field),
    )
    expect(have).toEqual([false, true, false, false, false])
  },
)

test('an error that asks for a missing thought is not read as a refusal of thoughts', async () => {
  const wanted = status(400, 'The `reasoning_content` in the thinking mode must be passed back to the API.')
  const called = chatCall('call_a', { reasoning_content: 'hm' })
  const { ends, bodies } = await play({ backend: 'openai-compatible' }, called, wanted, saysDone)
  expect(ends).toEqual([expect.stringContaining('must be passed back'), 'done'])
  expect(bodies).toHaveLength(3)
})

const MISTRAL = (id: string) => `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`

const IDS: readonly (readonly [
  Access,
  called: (id: string) => Script,
  says: Script,
  words: string,
  code?: number,
])[] = [
  ...CHAT.map(
    (access) => [access, (id: string) => chatCall(id), saysDone, MISTRAL('call_49c89af0')] as const,
  ),
  [CHAT[1]!, chatCall, saysDone, 'Tool call IDs should be alphanumeric strings with length 9!', 500],
  [
    CHAT[1]!,
    chatCall,
    saysDone,
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40",
  ],
  [
    RESPONSES,
    (id) => responsesAnswer(responsesCall(id)),
    responsesSays,
    "Invalid 'input[2].call_id': string too long.",
  ],
  [
    { backend: 'anthropic' },
    anthropicCall,
    anthropicSays,
    'messages.1.content.0.tool_use.id: String should match pattern',
  ],
]

test.each(IDS.map((one) => ({ backend: one[0].backend, words: one[3], one })))(
  'ids of calls that a $backend server gave and refuses are rewritten ($words)',
  async ({ one: [access, called, spoken, words, code = 400] }) => {
    const given = ['call_49c89af0', 'call_49c89af1']
    const [first, second] = given.map(called)
    const { ends, bodies } = await play(access, first!, status(code, words), spoken, second!, spoken)
    expect(ends).toEqual(['done', 'done'])
    const idsIn = (body: object) =>
      [...JSON.stringify(body).matchAll(/"(?:id|call_id|tool_call_id|tool_use_id)":"([^"]+)"/g)].map(
        ([, id]) => id,
      )
    const [asGiven, rewritten, , later] = bodies.slice(1).map(idsIn)
    expect(asGiven).toEqual([given[0], given[0]])
    for (const ids of [rewritten!, later!]) {
      expect(ids).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/), ids[0]])
    }
    expect(later).not.toEqual(rewritten)
  },
)

test('a server that also refuses the rewritten ids is not asked again without end', async () => {
  const refuses = status(400, MISTRAL('x'))
  const { ends, bodies } = await play(CHAT[1]!, chatCall('call_a'), refuses, refuses, saysDone)
  expect(ends).toEqual([expect.stringContaining('Tool call id'), 'done'])
  expect(bodies).toHaveLength(4)
})
