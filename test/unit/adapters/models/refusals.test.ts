import { expect, test } from 'vitest'
import { parseRefusal } from '../../../../src/adapters/models/refusals.ts'

test.each([
  [
    "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens (3120 in the messages, 1000 in the completion).",
    { tokens: 3120, window: 4097 },
  ],
  [
    "This model's maximum context length is 4097 tokens, however you requested 4116 tokens (3860 in your prompt; 256 for the completion).",
    { tokens: 3860, window: 4097 },
  ],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 173172 tokens.",
    { tokens: 173_172, window: 128_000 },
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
  ['the request exceeds the available context size, try increasing it', {}],
  ['Requested tokens (85) exceed context window of 2048', {}],
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
    "This endpoint's maximum context length is 16384 tokens. However, you requested about 94307 tokens (94307 of text input).",
    { tokens: 94_307, window: 16_384 },
  ],
  [
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 70000 tokens: 6000 tokens from the input messages and 64000 tokens for the completion.",
    { tokens: 6000, window: 32_768 },
  ],
  ["Requested token count exceeds the model's maximum context length of 131072 tokens.", { window: 131_072 }],
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
  ['The input token count exceeds the maximum number of tokens allowed 1048576.', { window: 1_048_576 }],
  ['The input token count exceeds the maximum number of tokens allowed (1048576).', { window: 1_048_576 }],
  [
    'Prompt contains 240000 tokens and 0 draft tokens, too large for model with 128000 maximum context length',
    {},
  ],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", {}],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 1512. Given: 1000 `inputs` tokens and 1024 `max_new_tokens`',
    {},
  ],
  ['Input validation error: `inputs` must have less than 1024 tokens. Given: 1872', {}],
  ['prompt token count of 150000 exceeds the limit of 128000', {}],
  ['Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)', {}],
  ['invalid params, context window exceeds limit (2013)', {}],
  ['Range of input length should be [1, 202745]', {}],
  ['too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354.', {}],
  ['The number of tokens to keep from the initial prompt is greater than the context length', {}],
  ['prompt too long; exceeded max context length by 100918 tokens', {}],
  ['Your input exceeds the context window of this model.', {}],
  ['Please reduce the length of the messages or completion.', {}],
  ['{"code":"context_length_exceeded"}', {}],
])('%s: the prompt was too long', (said, numbers) => {
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
])('%s: it is known what the model does not take', (said, kind) => {
  expect(parseRefusal(said)).toEqual({ kind })
})

test('other errors are no refusals', () => {
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

test('an error of any length is looked at in linear time', () => {
  const start = performance.now()
  for (const piece of [
    'maximum context length is 1 tokens',
    'n_prompt_tokens":',
    'keep the first 9',
    '1,234',
    'prompt contains 1 tokens',
    'passed 1 input tokens',
    ' ',
    '9',
  ])
    parseRefusal(piece.repeat(1_000_000 / piece.length))
  expect(performance.now() - start).toBeLessThan(2_000)
})
