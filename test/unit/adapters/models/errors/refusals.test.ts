import { expect, test } from 'vitest'
import { refusalIn } from '../../../../../src/adapters/models/errors/refusals.ts'

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
  ['Requested tokens (85) exceed context window of 2048', { tokens: 85, window: 2048 }],
  [
    'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens',
    { tokens: 111_490, window: 32_768 },
  ],
  ['(n_keep: 13055>= n_ctx: 4096)', { tokens: 13_055, window: 4096 }],
  ['the input length exceeds the context length', {}],
  ['{"code":"context_length_exceeded"}', {}],
])('%s: the prompt was too long', (said, numbers) => {
  expect(refusalIn(said)).toEqual({ kind: 'too-long', ...numbers })
})

test('tools and system messages are refused in known words, and other errors are no refusals', () => {
  expect(refusalIn('registry.ollama.ai/library/gemma:2b does not support tools')).toEqual({
    kind: 'no-tools',
  })
  expect(refusalIn('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser')).toEqual({
    kind: 'no-tools',
  })
  expect(refusalIn('{"message":"System role not supported"}')).toEqual({ kind: 'no-system-role' })
  for (const other of [
    '',
    'invalid api key',
    'max_tokens must be positive',
    'tokens per minute limit: 30000',
  ])
    expect(refusalIn(other)).toBeUndefined()
})

test('an error of any length is looked at in linear time', () => {
  const start = performance.now()
  for (const piece of [
    'maximum context length is 1 tokens',
    'n_prompt_tokens":',
    'keep the first 9',
    ' ',
    '9',
  ])
    refusalIn(piece.repeat(1_000_000 / piece.length))
  expect(performance.now() - start).toBeLessThan(2_000)
})
