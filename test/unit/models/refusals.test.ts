import { expect, test } from 'vitest'
import { errorOfEvent, toModelError } from '../../../src/models/errors.ts'
import { isModelSlip, parseOutputRefusal, parseRefusal } from '../../../src/models/refusals.ts'
import type { Fields } from '../../../src/models/loose.ts'
import { findRefusedPart, without } from '../../../src/models/refused-parts.ts'
import { sampleConfig } from '../../support/model-request.ts'

const target = { access: sampleConfig({}), endpoint: 'http://localhost:1', advice: 'is it running?' }

test.each([
  ['overloaded_error', true],
  ['rate_limit_error', true],
  ['api_error', true],
  ['timeout_error', true],
  ['invalid_request_error', false],
  ['authentication_error', false],
])('an error of type %s inside a stream is retryable: %s', (type, retryable) => {
  const error = toModelError(errorOfEvent({ type, message: 'Overloaded' }), target, true)
  expect(error.message).toMatch(/the provider reported: Overloaded$/)
  expect(error.retryable).toBe(retryable)
})

test.each([
  [
    "This model's maximum context length is 4097 tokens, however you requested 4116 tokens (3860 in your prompt; 256 for the completion).",
    { tokens: 3860, window: 4097 },
  ],
  [
    "This model's maximum context length is 4096 tokens. However, your request has 4645 input tokens. Please reduce the length of the input messages.",
    { tokens: 4645, window: 4096 },
  ],
  [
    'The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that',
    {},
  ],
  [
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce',
    { tokens: 289_650, window: 272_000 },
  ],
  ['Input tokens exceed the configured limit of 272,000 tokens.', { window: 272_000 }],
  [
    'Request too large for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, Requested 36278. The input',
    { total: 36_278, window: 30_000 },
  ],
  ['{"error":{"code":500,"message":"Context size has been exceeded."}}', { isPassing: true }],
  [
    "'max_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 900 input tokens.",
    { tokens: 900, window: 32_768 },
  ],
  [
    "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt contains at least 62466 input tokens",
    { window: 128_000 },
  ],
  ['prompt is too long: 208310 tokens > 200000 maximum', { tokens: 208_310, window: 200_000 }],
  [
    'input length and `max_tokens` exceed context limit: \n     188240 + 21333 > 200000, decrease',
    { tokens: 188_240, window: 200_000 },
  ],
  [
    'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
    { tokens: 1_200_293, window: 1_048_576 },
  ],
  ['{"type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}', { tokens: 1407, window: 256 }],
  [
    String.raw`{"error":"{\"error\":{\"n_prompt_tokens\":2622,\"n_ctx\":512}}"}`,
    { tokens: 2622, window: 512 },
  ],
  [
    'request (131168 tokens) exceeds the available context size (131072 tokens), try increasing it',
    { tokens: 131_168, window: 131_072 },
  ],
  ['Requested tokens (85) exceed context window of 2048', { tokens: 85, window: 2048 }],
  [
    'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens',
    { tokens: 111_490, window: 32_768 },
  ],
  ['(n_keep: 13055>= n_ctx: 4096)', { tokens: 13_055, window: 4096 }],
  ['the input length exceeds the context length', {}],
  [
    "You passed 130049 input tokens and requested 1024 output tokens. However, the model's context length is only 131072 tokens, resulting in",
    { tokens: 130_049, window: 131_072 },
  ],
  ['The decoder prompt (length 322) is longer than the maximum model length of 256. Make sure', {}],
  [
    "This endpoint's maximum context length is 204800 tokens. However, you requested about 205432 tokens (81684 of text input, 3748 of tool input, 120000 in the output).",
    { tokens: 85_432, window: 204_800 },
  ],
  [
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 70000 tokens: 6000 tokens from the input messages and 64000 tokens for the completion.",
    { tokens: 6000, window: 32_768 },
  ],
  ["Input length (265330) exceeds model's maximum context length (262144).", { window: 262_144 }],
  [
    "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    { tokens: 61_709, window: 40_960 },
  ],
  [
    'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).',
    { tokens: 160_062, window: 59_862 },
  ],
  ['Input length 300000 exceeds the maximum allowed input length of 262144 tokens.', {}],
  ['{"type":"request_too_large","message":"Request exceeds the maximum size"}', {}],
  ['Input is too long for requested model.', {}],
  ['The input token count exceeds the maximum number of tokens allowed (1048576).', { window: 1_048_576 }],
  [
    'Prompt contains 240000 tokens and 0 draft tokens, too large for model with 128000 maximum context length',
    { tokens: 240_000, window: 128_000 },
  ],
  [
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { tokens: 537_812, window: 131_072 },
  ],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512. Given: 1000 `inputs` tokens and 1024 `max_new_tokens`',
    { tokens: 1000, window: 1512 },
  ],
  ['Input validation error: `inputs` must have less than 1024 tokens. Given: 1872', {}],
  ['prompt token count of 150000 exceeds the limit of 128000', { tokens: 150_000, window: 128_000 }],
  [
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
    { total: 291_351, window: 262_144 },
  ],
  ['invalid params, context window exceeds limit (2013)', {}],
  ['Range of input length should be [1, 202745]', { window: 202_745 }],
  [
    'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354.',
    { total: 6354, window: 2048 },
  ],
  ['The number of tokens to keep from the initial prompt is greater than the context length', {}],
  ['prompt too long; exceeded max context length by 100918 tokens', {}],
  ['Your input exceeds the context window of this model.', {}],
  ['Please reduce the length of the messages or completion.', {}],
  ['{"code":"context_length_exceeded"}', {}],
])('a prompt counts as too long if the provider says: %s', (said, numbers) => {
  expect(parseRefusal(said)).toEqual({ kind: 'too-long', ...numbers })
})

test.each([
  ['registry.ollama.ai/library/gemma:2b does not support tools', 'no-tools'],
  ['"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser', 'no-tools'],
  ['Function calling is not enabled for models/gemma-3-27b-it', 'no-tools'],
  ['No endpoints found that support tool use. To learn more about provider routing', 'no-tools'],
  ['tools is not supported in this model. For a list of supported models', 'no-tools'],
  ['`tools` is not supported in this model', 'no-tools'],
  ['This model does not support Function Calling.', 'no-tools'],
  ['Functions are not supported for this API version.', 'no-tools'],
  ['`tool calling` is not supported with this model', 'no-tools'],
  ['Tool use is not supported', 'no-tools'],
  ['{"message":"System role not supported"}', 'no-system-role'],
  ['Conversation roles must alternate user/assistant/user/assistant/...', 'no-system-role'],
  ['Developer instruction is not enabled for models/gemma-3-27b-it', 'no-system-role'],
  ["Unsupported value: 'messages[0].role' does not support 'system' with this model.", 'no-system-role'],
  ['System messages are not supported by this model', 'no-system-role'],
  ['Only user and assistant roles are supported!', 'no-system-role'],
  ["messages.0.role: Input should be 'user' or 'assistant'", 'no-system-role'],
  ['Unexpected role: developer', 'no-system-role'],
])('a feature that the model does not support is recognized in: %s', (said, kind) => {
  expect(parseRefusal(said)).toEqual({ kind })
})

test('other errors of providers are not recognized as refusals', () => {
  for (const other of [
    '',
    'invalid api key',
    'your account has 500 tokens left',
    'max_tokens must be positive',
    'tokens per minute limit: 30000',
    'Rate limit reached for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, Used 29937, Requested 385. Please try again in 644ms.',
    "Unsupported parameter: 'parallel_tools' is not supported with this model",
    'parallel tool calls are not supported',
    'This model does not support parallel tool calls',
    'tool calculator returned: unsupported file',
    'After the optional system message, conversation roles must alternate user/assistant',
    'Too many tokens, please wait before trying again.',
    'Only user, system, assistant and tool roles are supported',
    "Unexpected role 'tool' after role 'system'",
  ])
    expect(parseRefusal(other)).toBeUndefined()
})

/** The words of providers about an answer of 50,000 tokens, with the most that the model gives. */
test.each([
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 1024]', 1024],
  ['<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]', 8192],
  ['max_tokens参数非法。取值范围[1, 4095]', 4095],
  ['max_tokens 不能超过 8192', 8192],
  [
    'Unable to submit request because it has a maxOutputTokens value of 50000 but the supported range is from 1 (inclusive) to 8193 (exclusive).',
    8192,
  ],
  ['max_tokens must be between 1 and 4096', 4096],
  [
    'max_tokens: 50000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022',
    8192,
  ],
  [
    'max_tokens is too large: 50000. This model supports at most 16384 completion tokens, whereas you provided 50000.',
    16_384,
  ],
  [
    '{"message":"Param Incorrect","param":"max_tokens is too large: 50000. This model supports at most 32768 completion tokens"}',
    32_768,
  ],
  [
    "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 32,768, but got 50000 instead.",
    32_768,
  ],
  [
    '`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    16_384,
  ],
  ['max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000', 8000],
  [
    'too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received 50000',
    4096,
  ],
  [
    'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
    4096,
  ],
  [
    '{"detail":[{"loc":["body","max_tokens"],"msg":"Input should be less than or equal to 2048","input":50000}]}',
    2048,
  ],
  ['max_completion_tokens must be less than 8193', 8192],
  ['max_tokens (50000) cannot exceed 8192', 8192],
  ['`max_new_tokens` must be <= 4096. Given: 50000', 4096],
  ['The maximum number of output tokens for this model is 8192', 8192],
  ['this model gives at most 1024 output tokens', 1024],
])('the limit of an answer is read in: %s', (said, tokens) => {
  expect(parseOutputRefusal(said, 50_000)).toEqual({ kind: 'max-output', tokens })
})

test.each([
  "'max_tokens' is too large: 50000. This model's maximum context length is 32768 tokens and your request has 900 input tokens.",
  "'max_tokens' or 'max_completion_tokens' is too large: 50000. This model's maximum context length is 4096 tokens and your request has 20 input tokens (50000 > 4096 - 20).",
  "This model's maximum context length is 32000 tokens. However, you requested 50000 output tokens and your prompt contains at least 2466 input tokens",
  'input length and `max_tokens` exceed context limit: 18240 + 50000 > 40000, decrease',
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512. Given: 1000 `inputs` tokens',
  "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16",
  '`max_tokens` must be greater than `thinking.budget_tokens`',
  'This request requires more credits, or fewer max_tokens. You requested up to 50000 tokens, but can only afford 1194',
  'max_tokens must be at least 1',
  'max_tokens must be less than 60000',
])('no limit of an answer is read in: %s', (said) => {
  expect(parseOutputRefusal(said, 50_000)).toBeUndefined()
})

test.each([
  `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","code":"tool_use_failed","failed_generation":"<function=say={}>"}}`,
  '{"error":{"code":"output_parse_failed"}}',
  `error parsing tool call: raw='{"q":', err=unexpected end of JSON input`,
  'Failed to parse tool call arguments as JSON: parse error at line 1',
  'The model produced invalid sequence as part of ToolUse. Please refer to the model tool use troubleshooting guide.',
])('an invalid output of the model is recognized in: %s', (said) => {
  expect(isModelSlip(said)).toBe(true)
  const error = toModelError(errorOfEvent({ error: said }), target, false, BODY)
  expect(error).toMatchObject({ retryable: true })
  expect(error.refusal).toBeUndefined()
})

test('an error of a million characters is parsed in less than two seconds', () => {
  const start = performance.now()
  for (const piece of [
    'maximum context length is 1 tokens',
    'n_prompt_tokens":',
    'keep the first 9',
    '1,234',
    'prompt contains 1 tokens',
    'passed 1 input tokens',
    'max_tokens ',
    'max_tokens at most (',
    ' ',
    '9',
  ])
    for (const parse of [parseRefusal, (said: string) => parseOutputRefusal(said, 9), isModelSlip])
      parse(piece.repeat(1_000_000 / piece.length))
  expect(performance.now() - start).toBeLessThan(2_000)
})

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

const named = (said: string, body: Fields = BODY) => findRefusedPart(said, body)

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
  ['stop', '{"error":"Argument not supported on this model: stop"}'],
  ['reasoning_effort', 'Model grok does not support parameter reasoningEffort'],
])('the rejected field %s is found in: %s', (field, said) => {
  expect(named(said)).toEqual({ kind: 'field', field })
})

test.each([
  [{ think: true }, '"llama3.2" does not support thinking'],
  [{ think: 'low' }, 'think value "low" is not supported for this model'],
  [{ thinking: { type: 'enabled' } }, "'claude-3-5-haiku-20241022' does not support thinking."],
  [{ thinking: { type: 'adaptive' } }, 'adaptive thinking is not supported on this model'],
  [{ output_config: { effort: 'low' } }, 'This model does not support the effort parameter.'],
])('the rejected field of %j is found in: %s', (fields, said) => {
  expect(named(said, fields)).toEqual({ kind: 'field', field: Object.keys(fields)[0] })
})

test('a refused thinking level is found within the Gemini settings', () => {
  const fields = { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }
  const said = 'Thinking level is not supported for this model.'
  expect(named(said, fields)).toEqual({ kind: 'field', field: 'thinkingConfig' })
})

const MARK = { cache_control: { type: 'ephemeral' } }

test.each(['tools.1.custom', 'system.0', 'messages.0.content.0'])(
  'a cache mark refused in %s is left out everywhere, but no tool is left out',
  (place) => {
    const schema = { type: 'object', properties: { cache_control: { type: 'string' } } }
    const text = { type: 'text', text: 'hello' }
    const tools = [
      { name: 'say', input_schema: schema },
      { name: 'go', input_schema: schema },
    ]
    const plain = { system: [text], tools, messages: [{ role: 'user', content: [text] }] }
    const marked = {
      system: [{ ...text, ...MARK }],
      tools: [tools[0], { ...tools[1], ...MARK }],
      messages: [{ role: 'user', content: [{ ...text, ...MARK }] }],
    }
    const refused = named(`${place}.cache_control: Extra inputs are not permitted`, marked)
    expect(refused).toEqual({ kind: 'field', field: 'cache_control' })
    expect(without(marked, ['cache_control'])).toEqual(plain)
  },
)

test.each([
  ['holler_set', "Invalid schema for function 'holler_set': object schema missing properties."],
  ['holler_set_all', 'tools.2.custom.input_schema: JSON schema is invalid'],
  ['holler_set', '{"error":{"message":"Invalid schema","param":"tools[1].function.parameters"}}'],
  [
    'say',
    '{"detail":[{"loc":["body","tools",0,"function","parameters"],"msg":"Input should be a valid dictionary"}]}',
  ],
  ['holler_set_all', 'tool name: holler_set_all is longer than allowed'],
  [
    'holler_set_all',
    `{"error":{"param":"tools[0].function.parameters","message":"Invalid schema for function 'holler_set_all': object schema missing properties."}}`,
  ],
  ['holler_set', `{"error":{"param":"tools[0]","message":"tools[1].function.name: 'say' is taken"}}`],
  ['holler_set', `{"error":{"param":"tools[0]","message":"the schema of 'holler_set' is invalid"}}`],
])('the rejected tool %s is found in: %s', (tool, said) => {
  expect(named(said)).toEqual({ kind: 'tool', tool })
})

test('a rejected declaration of Gemini is found by its index', () => {
  const tools = [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }]
  const said =
    'GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].items: missing field'
  expect(named(said, { contents: [], tools })).toEqual({ kind: 'tool', tool: 'b' })
})

test('a rejected setting of Gemini is found as a field', () => {
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
])('no removable part of a request is found in: %s', (said) => {
  expect(named(said)).toBeUndefined()
})

test('a rejected part is searched in a million characters in less than two seconds', () => {
  const start = performance.now()
  for (const piece of ['tools"', "'", 'function ', 'stream_options_', '"a'])
    named(piece.repeat(1_000_000 / piece.length))
  expect(performance.now() - start).toBeLessThan(2_000)
})

test('a rejected token limit is renamed, and other rejected fields are removed from the request', () => {
  const body = { max_tokens: 5, temperature: 1, generationConfig: { thinkingConfig: {}, topP: 1 }, stop: [] }
  expect(without(body, ['max_tokens', 'temperature', 'thinkingConfig'])).toEqual({
    max_completion_tokens: 5,
    generationConfig: { topP: 1 },
    stop: [],
  })
})
