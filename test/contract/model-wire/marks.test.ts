import { expect, test } from 'vitest'
import { createModel, type Backend } from '../../../src/models/providers.ts'
import { createReply, streamStep } from '../../../src/wrap/loop/index.ts'
import { anthropicAnswer, geminiAnswer, responsesAnswer } from '../../support/hosted-wires.ts'
import { sampleConfig, sampleRequest } from '../../support/model-request.ts'
import { raw, says, startModelServer, type Script } from '../../support/model-server.ts'
import { lines } from './case.ts'

// Servers whose parsers are off leave thoughts and calls in the text, whatever their protocol.

interface Wire {
  readonly backend: Backend
  readonly api?: 'responses'
  readonly send: (text: string) => Script
}

const halves = (text: string): readonly string[] => [
  text.slice(0, text.length / 2),
  text.slice(text.length / 2),
]

const WIRES: readonly Wire[] = [
  ...(['openai', 'openai-compatible', 'llamacpp'] as const).map((backend) => ({
    backend,
    send: (text: string) => says(...halves(text)),
  })),
  {
    backend: 'openai',
    api: 'responses',
    send: (text) =>
      responsesAnswer(...halves(text).map((delta) => ({ type: 'response.output_text.delta', delta }))),
  },
  {
    backend: 'anthropic',
    send: (text) => anthropicAnswer({ type: 'text', text: '' }, { type: 'text_delta', text }, 'end_turn'),
  },
  { backend: 'gemini', send: (text) => geminiAnswer({ text }) },
  {
    backend: 'ollama',
    send: (text) =>
      raw(lines(...halves(text).map((content) => ({ message: { content } })), { done: true, message: {} })),
  },
]

interface Read {
  readonly text?: string
  readonly thoughts?: readonly string[]
  readonly calls?: number
}

const HARMONY = '<|channel|>analysis<|message|>hm<|end|>'
const FINAL = '<|start|>assistant<|channel|>final<|message|>hello'
const DSML =
  '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="q" string="true">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'

const ANSWERS: readonly (readonly [sent: string, read: Read])[] = [
  [HARMONY + FINAL, { text: 'hello', thoughts: ['hm'] }],
  [`<|start|>assistant${HARMONY}${FINAL}<|return|>`, { text: 'hello', thoughts: ['hm'] }],
  ['<|channel|>analysis<|message|>hm<|channel|>final<|message|>hello', { text: 'hello', thoughts: ['hm'] }],
  ['<|channel|>final<|message|>hello', { text: 'hello' }],
  [
    `${HARMONY}<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"q":1}<|call|>`,
    { thoughts: ['hm'], calls: 1 },
  ],
  [
    `${HARMONY}<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"q":1}`,
    { thoughts: ['hm'], calls: 1 },
  ],
  [
    `<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{}`,
    { text: 'I look.', calls: 1 },
  ],
  ['<|channel>thought\nhm<channel|>hello', { text: 'hello', thoughts: ['hm'] }],
  ['<|channel>thought\n<channel|>hello', { text: 'hello' }],
  ['I look.<|tool_call>call:f{q:<|"|>x<|"|>}<tool_call|>', { text: 'I look.', calls: 1 }],
  ...[
    ['<thinking>', '</thinking>'],
    ['<thought>', '</thought>'],
    ['<longcat_think>', '</longcat_think>'],
    ['<|inner_prefix|>', '<|inner_suffix|>'],
    ['<unused94>thought\n', '<unused95>'],
  ].map(([open, close]) => [`${open}hm${close}hello`, { text: 'hello', thoughts: ['hm'] }] as const),
  [
    '<|begin_of_thought|>hm<|end_of_thought|>\n<|begin_of_solution|>hello<|end_of_solution|>',
    { text: 'hello', thoughts: ['hm'] },
  ],
  ['◁think▷hm◁/think▷hello', { text: 'hello', thoughts: ['hm'] }],
  [
    '<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>hello<|END_RESPONSE|>',
    { text: 'hello', thoughts: ['hm'] },
  ],
  [`I look.\n\n${DSML}`, { text: 'I look.', calls: 1 }],
  [DSML.replaceAll('function_calls', 'tool_calls'), { calls: 1 }],
  [DSML.replaceAll('｜', '|'), { calls: 1 }],
  [
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    { calls: 1 },
  ],
  [
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    { calls: 1 },
  ],
  [
    'I look.<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>\n<tool_call>{"name":"f"}</tool_call>',
    { text: 'I look.', calls: 2 },
  ],
  ['<tool_call>\n<function=f>\n<parameter=q>\nx\n</parameter>\n</function>\n</tool_call>', { calls: 1 }],
  ['<tool_call>f\n<arg_key>q</arg_key>\n<arg_value>x</arg_value>\n</tool_call>', { calls: 1 }],
  ['<minimax:tool_call>\n<invoke name="f">\n</invoke>\n</minimax:tool_call>', { calls: 1 }],
  ['I look.\n<invoke name="f">\n<parameter name="q">x</parameter>\n</invoke>', { text: 'I look.', calls: 1 }],
  ['<tool_calls>[{"name":"f","arguments":{}}]</tool_calls>', { calls: 1 }],
  ['<TOOLCALL>[{"name":"f","arguments":{}}]</TOOLCALL>', { calls: 1 }],
  ['<longcat_tool_call>f\n</longcat_tool_call>', { calls: 1 }],
  ['<|action_start|><|plugin|>{"name":"f","parameters":{}}<|action_end|>', { calls: 1 }],
  ['<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>f<｜tool_calls_end｜>', { calls: 1 }],
  ['[TOOL_CALLS][{"name":"f","arguments":{}}]', { calls: 1 }],
  ['[TOOL_CALLS]f[ARGS]{}', { calls: 1 }],
  ['<|python_tag|>{"name":"f","parameters":{}}', { calls: 1 }],
  ...[
    'The mark `<|channel|>final<|message|>` begins an answer.',
    'It writes `<｜DSML｜function_calls>` then.',
    '```\n<tool_call>{"name":"f"}</tool_call>\n```',
    'Between <tool_call> and </tool_call> there is JSON.',
    'Mistral says [TOOL_CALLS] before it calls.',
    'I like <tool_call> more.',
    'Write <invoke a name> there, then <tool_calls>.',
    'a <| b |> c',
  ].map((text) => [text, { text }] as const),
]

test.each(WIRES.flatMap((wire) => ANSWERS.map(([sent, read]) => ({ ...wire, sent, read }))))(
  'the answer $sent of a $backend server is read as $read',
  async ({ backend, api, send, sent, read: { text = '', thoughts = [], calls = 0 } }) => {
    await using server = await startModelServer()
    server.play(send(sent))
    const access = { backend, endpoint: server.endpoint, apiKey: 'k', ...(api ? { api } : {}) }
    const shown: string[] = []
    const reply = createReply((piece) => void shown.push(piece))
    const { signal } = new AbortController()
    const step = await streamStep(
      createModel(sampleConfig(access)),
      sampleRequest({}, 'f'),
      { reply },
      signal,
    )
    expect(shown.join('').trim()).toBe(text)
    expect(reply.finish()).toBe(text)
    expect(step.thoughts.map((thought) => thought.text)).toEqual(thoughts)
    expect(step.writtenCalls).toHaveLength(calls)
  },
)
