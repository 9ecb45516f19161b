import { failure, NO_ANSWER, reported, type Case } from './case.ts'

const json = (value: unknown): string => JSON.stringify(value)

const refused = (quoted: string) => failure(`the provider refused the request with status 400 (${quoted})`)

const FIELD = { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] }

const NESTED = { error: { error: { error: { error: { error: { error: { error: { code: 7 } } } } } } } }

/** Reading it whole would overflow the stack. */
const DEEP = `${'['.repeat(500_000)}${']'.repeat(500_000)}`

type Failure = readonly [name: string, sent: object | string, message: string, retryable?: boolean]

/** Errors in an answer with status 200. */
const REPORTED: readonly Failure[] = [
  ['an error that is a text', { error: 'no such model' }, 'no such model'],
  ['an error that is an object', { error: { message: 'no such model' } }, 'no such model'],
  ['an error over several lines', '{\n "error": {\n  "message": "no such model"\n }\n}', 'no such model'],
  ['an error in a stream', `data: ${json({ error: 'no such model' })}\n\n`, 'no such model'],
  ['an error by its object', { object: 'error', message: 'no such model', code: 404 }, 'no such model'],
  ['an error by its status', { status: 'error', message: 'no such model' }, 'no such model'],
  ['an error by its code', { code: 503, message: 'too busy' }, 'too busy', true],
  ['an error that is true', { error: true, message: 'no such model' }, 'no such model'],
  ['no success', { success: false, errors: [{ message: 'no such model' }] }, 'no such model'],
  ['an error by its event field', 'event: error\ndata: no such model\n\n', 'no such model'],
  [
    'an object by its event field',
    `event: error\ndata: ${json({ message: 'no such model' })}\n\n`,
    'no such model',
  ],
  [
    'an error in a field of its own',
    `error: ${json({ code: 500, message: 'no memory' })}\n\n`,
    'no memory',
    true,
  ],
  ['an error as the text of an event', 'data: [ERROR] no such model\n\n', '[ERROR] no such model'],
  ['an error in JSON text', { error: json({ error: { message: 'no such model' } }) }, 'no such model'],
  ['an error in a list', json([{ error: { message: 'no such model' } }]), 'no such model'],
  ['a field that is wrong', FIELD, 'body.stream_options: Extra inputs are not permitted'],
  ['an error nested deep without words', { error: NESTED }, json(NESTED)],
  ['a message and nothing else', { message: 'no such route' }, 'no such route'],
  [
    'a message and [DONE]',
    `data: ${json({ message: 'no such route' })}\n\ndata: [DONE]\n\n`,
    'no such route',
  ],
]

/** Errors with status 400. */
const REFUSED: readonly Failure[] = [
  ['JSON nested 500,000 deep', `{"error":${DEEP}}`, 'Bad Request'],
  ['an error', { error: { message: 'no such voice' } }, 'no such voice'],
  ['an error text', { error: 'no such voice' }, 'no such voice'],
  [
    'an error word and a message',
    { status: 400, error: 'Bad Request', message: 'no such voice' },
    'Bad Request: no such voice',
  ],
  ['one message twice', { error: 'no such voice', message: 'no such voice' }, 'no such voice'],
  ['JSON of unknown keys', { reason: 'no such voice' }, '{"reason":"no such voice"}'],
  ['broken JSON', '{"reason":"no', 'Bad Request'],
  ['a null reason', '{"reason":null}', 'Bad Request'],
  [
    'words that resemble API keys',
    { error: 'skip_special_tokens of sketch-writer-7b' },
    'skip_special_tokens of sketch-writer-7b',
  ],
  [
    'API keys of others in its message',
    { error: 'not sk-proj-Abcdefgh, pk_1234567890, sk-********wxyz' },
    'not [key], [key], [key]',
  ],
  ['a plain text', 'no such voice\n', 'no such voice'],
  ['a field error', FIELD, 'body.stream_options: Extra inputs are not permitted'],
  [
    'a nested error of another provider',
    {
      error: { message: 'Provider failed', metadata: { raw: json({ error: { message: 'no such voice' } }) } },
    },
    'Provider failed: no such voice',
  ],
  ['a web page', '<html><body>Bad</body></html>', "a web page, not a model's answer"],
]

/** The request has a limit of 512. */
const OUTPUT_LIMITS = [
  'Invalid max_tokens value, the valid range of max_tokens is [1, 256]',
  'max_tokens: 512 > 256, which is the maximum allowed number of output tokens for this model',
  'max_tokens is too large: 512. This model supports at most 256 completion tokens',
  '`max_tokens` must be less than or equal to `256`',
  'max_tokens exceeds limit, max allowed 256',
  'Requested max_tokens 512 exceeds the maximum output length of 256 for this model',
  'a maxOutputTokens value of 512 but the supported range is from 1 (inclusive) to 257 (exclusive)',
]

const SLIP = {
  error: {
    message:
      "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
    ...{ type: 'invalid_request_error', code: 'tool_use_failed', failed_generation: "<function='f'>{</f>" },
  },
}

/** Errors that any server may send, in whatever protocol. */
export const ERRORS: readonly Case[] = [
  ...REPORTED.map(([name, sent, ...said]): Case => [name, sent, { end: reported(...said) }]),
  ...REFUSED.map(([name, sent, message]): Case => [
    `${name} with status 400`,
    sent,
    { end: refused(message) },
    { status: 400 },
  ]),
  [
    'a text',
    'upstream is asleep\n',
    { end: failure(/something that is not a model's answer \(upstream is asleep\)$/, true) },
  ],
  [
    'a web page',
    '<!doctype html>\n<title>Sign in</title>\n',
    { end: failure(/sent a web page, not a model's answer; check endpoint$/) },
  ],
  [
    'JSON of unknown keys',
    { choices: null, base_resp: { status_msg: 'no credit' }, rest: 'x'.repeat(2_000) },
    { end: failure(/not a model's answer \(\{.{0,50}"no credit".{0,60}\)$/, true) },
  ],
  ['nothing', '', { end: NO_ANSWER }],
  ['only [DONE]', 'data: [DONE]\n\n', { end: NO_ANSWER }],
  ...[`{"choices":${DEEP}}`, `{"error":${DEEP}}`, DEEP].map((bytes): Case => [
    `JSON nested 500,000 deep that begins with ${bytes.slice(0, 10)}`,
    `data: ${bytes}\n\n`,
    { end: NO_ANSWER },
  ]),
  [
    'no function calling',
    { error: { message: 'qwen does not support Function Calling' } },
    { end: { refusal: { kind: 'no-tools' } } },
    { status: 400 },
  ],
  [
    'functions that its version does not take',
    { error: { message: 'Functions are not supported for this API version' } },
    { end: { refusal: { kind: 'no-tools' } } },
    { status: 404 },
  ],
  ...OUTPUT_LIMITS.map((message): Case => [
    `a limit of the answer: ${message}`,
    { error: { message } },
    { end: { refusal: { kind: 'max-output', tokens: 256 }, retryable: false } },
    { status: 400 },
  ]),
  [
    "Mistral's numbers of a prompt that is too long",
    {
      message:
        'Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8000 maximum context length',
    },
    { end: { refusal: { kind: 'too-long', tokens: 9000, window: 8000 } } },
    { status: 400 },
  ],
  [
    "Kimi's numbers of a prompt that is too long",
    { error: { message: 'Your request exceeded model token limit: 8000 (requested: 9000)' } },
    { end: { refusal: { kind: 'too-long', total: 9000, window: 8000 } } },
    { status: 400 },
  ],
  [
    "Fireworks' numbers of a prompt that is too long",
    { error: { message: 'The prompt is too long: 9000, model maximum context length: 8000' } },
    { end: { refusal: { kind: 'too-long', tokens: 9000, window: 8000 } } },
    { status: 400 },
  ],
  [
    "Cerebras' window for a prompt that is too long",
    {
      message:
        'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8000',
    },
    { end: { refusal: { kind: 'too-long', window: 8000 } } },
    { status: 400 },
  ],
  [
    'a prompt that is too long without numbers',
    { error: { message: "The input exceeds this model's maximum context window" } },
    { end: { refusal: { kind: 'too-long' } } },
    { status: 400 },
  ],
  [
    'a tool in its sentence and another one in its param',
    { error: { param: 'tools[7].function', message: "Invalid schema for function 'f': not an object" } },
    { end: { refusal: { kind: 'tool', tool: 'f' } } },
    { status: 400 },
  ],
  [
    "a slip of the model in Groq's words with status 400",
    SLIP,
    { end: failure(/could not read what the model wrote; ask again \(Failed to call a function/, true) },
    { status: 400 },
  ],
  [
    "a slip of the model in Groq's words in an event",
    `event: error\ndata: ${json(SLIP)}\n\n`,
    { end: failure(/reported: Failed to call a function/, true) },
  ],
  [
    "a slip of the model in Ollama's words in a stream",
    `${json({ error: 'error parsing tool call: raw=\'{"q":\', err=unexpected end' })}\n`,
    { end: failure(/reported: error parsing tool call/, true) },
  ],
  [
    'roles that must alternate',
    { error: { message: 'Conversation roles must alternate user/assistant' } },
    { end: { refusal: { kind: 'no-system-role' }, retryable: false } },
    { status: 500 },
  ],
  [
    'status 408',
    { error: 'too slow' },
    { end: failure(/status 408; try again in a while \(too slow\)$/, true) },
    { status: 408 },
  ],
  [
    'status 409',
    { error: 'a model is loading' },
    { end: failure(/status 409; .{0,40}\(a model is loading\)$/, true) },
    { status: 409 },
  ],
  [
    'a retry delay in its error',
    { error: { code: 429, message: 'slow down', details: [{ retryDelay: '37.5s' }] } },
    { end: { ...failure(/limit of requests is reached; try again in 37.5 ?s/, true), retryAfterMs: 37_500 } },
    { status: 429 },
  ],
  [
    'a retry delay in its headers',
    '',
    { end: { retryAfterMs: 7_000 } },
    { status: 429, headers: { 'retry-after': '7' } },
  ],
  [
    'a retry delay in milliseconds in its headers',
    '',
    { end: { retryAfterMs: 4_500 } },
    { status: 429, headers: { 'retry-after-ms': '4500', 'retry-after': '5' } },
  ],
  ...['EMPTY', 'ollama', 'x', 'lm-studio'].map((apiKey): Case => [
    `the placeholder key ${apiKey} in its message`,
    { error: `exceeds ${apiKey}, an EMPTY ollama` },
    { end: refused(`exceeds ${apiKey}, an EMPTY ollama`) },
    { status: 400, apiKey },
  ]),
  [
    'the API key in its message',
    { error: 'not hunter2-hunter2' },
    { end: refused('not [key]') },
    { status: 400, apiKey: 'hunter2-hunter2' },
  ],
]
