import { expect, test } from 'vitest'
import type { Fields } from '../../../../src/adapters/models/loose.ts'
import { partNamedIn, without } from '../../../../src/adapters/models/refused-parts.ts'

const fn = (name: string): object => ({ type: 'function', function: { name, parameters: {} } })

const BODY = {
  model: 'm',
  messages: [],
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 100,
  temperature: 0.5,
  stop: ['x'],
  parallel_tool_calls: false,
  reasoning_effort: 'low',
  tools: [fn('say'), fn('holler_set'), fn('holler_set_all')],
}

const named = (said: string, body: Fields = BODY) => partNamedIn(said, body)

test.each([
  [
    'max_tokens',
    `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`,
  ],
  ['max_tokens', 'json: unknown field "max_tokens"'],
  [
    'temperature',
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
  ],
  ['temperature', '`temperature` is deprecated for this model.'],
  [
    'stream_options',
    '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
  ],
  ['stream_options', 'Unrecognized request argument supplied: stream_options'],
  ['stream_options', 'Stream options can only be defined when `stream` is set'],
  [
    'parallel_tool_calls',
    "litellm.UnsupportedParamsError: openai does not support parameters: ['parallel_tool_calls']",
  ],
  ['reasoning_effort', 'Function tools with reasoning_effort are not supported for this model'],
  ['stop', "property 'stop' is unsupported"],
])('the field %s is named by: %s', (field, said) => {
  expect(named(said)).toEqual({ kind: 'field', field })
})

test.each([
  ['holler_set', "Invalid schema for function 'holler_set': object schema missing properties."],
  ['holler_set_all', 'tools.2.custom.input_schema: JSON schema is invalid'],
  ['holler_set', '{"error":{"message":"Invalid schema","param":"tools[1].function.parameters"}}'],
  [
    'say',
    '{"detail":[{"loc":["body","tools",0,"function","parameters"],"msg":"Input should be a valid dictionary"}]}',
  ],
  ['holler_set_all', 'tool name: holler_set_all is longer than allowed'],
])('the tool %s is named by: %s', (tool, said) => {
  expect(named(said)).toEqual({ kind: 'tool', tool })
})

test('a declaration of Gemini is named by its place among the declarations', () => {
  const tools = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }]
  const said =
    'GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].items: missing field'
  expect(named(said, { contents: [], tools })).toEqual({ kind: 'tool', tool: 'b' })
})

test('a setting of Gemini is a field', () => {
  const body = { contents: [], generationConfig: { maxOutputTokens: 5, thinkingConfig: {} } }
  const said = 'Invalid JSON payload received. Unknown name "thinkingConfig" at \'generation_config\''
  expect(named(said, body)).toEqual({ kind: 'field', field: 'thinkingConfig' })
})

test.each([
  'max_tokens must be positive',
  'max_tokens is too large: 5000. This model supports at most 4096',
  'please stop',
  'the model m does not exist',
  "messages: unexpected role 'tool'",
  'tools.17.name: too long',
  "top_k is not supported; function 'other' is unknown",
  '',
])('no part that may be left out is named by: %s', (said) => {
  expect(named(said)).toBeUndefined()
})

test('a part is named in linear time', () => {
  const start = performance.now()
  for (const piece of ['tools"', "'", 'function ', 'stream_options_', '"a'])
    named(piece.repeat(1_000_000 / piece.length))
  expect(performance.now() - start).toBeLessThan(2_000)
})

test('a refused limit of tokens is sent by its other name, and other refused fields are not sent', () => {
  const body = { max_tokens: 5, temperature: 1, generationConfig: { thinkingConfig: {}, topP: 1 }, stop: [] }
  expect(without(body, ['max_tokens', 'temperature', 'thinkingConfig'])).toEqual({
    max_completion_tokens: 5,
    generationConfig: { topP: 1 },
    stop: [],
  })
})
