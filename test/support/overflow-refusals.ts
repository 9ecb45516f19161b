import type { Backend } from '../../src/adapters/models/index.ts'
import type { Dialect, TrueModel } from './counting-servers.ts'
import { DIALECTS } from './counting-servers.ts'
import type { Script } from './model-server.ts'
import { json } from './ollama-wire.ts'

/** A refusal: what the server says of a prompt of so many tokens. */
type Refusal = (tokens: number, model: TrueModel, maxOutput: number) => Script

const error = (message: string, status = 400): Script => json({ error: { message, code: status } }, status)

/** Refusals that tell both numbers, beside those of `DIALECTS` (src/adapters/models/refusals.ts has the sources). */
export const TELLING: Readonly<Record<string, Refusal>> = {
  'vllm of now': (tokens, { window }, output) =>
    error(
      `You passed ${tokens} input tokens and requested ${output} output tokens. However, the model's context length is only ${window} tokens, resulting in a maximum input length of ${window - output} tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=${tokens})`,
    ),
  'vllm 0.11': (tokens, { window }, output) =>
    json(
      {
        error: {
          message:
            tokens >= window
              ? `This model's maximum context length is ${window} tokens. However, your request has ${tokens} input tokens. Please reduce the length of the input messages. None`
              : `'max_tokens' or 'max_completion_tokens' is too large: ${output}. This model's maximum context length is ${window} tokens and your request has ${tokens} input tokens (${output} > ${window} - ${tokens}). None`,
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
      },
      400,
    ),
  'openai since gpt-5': (tokens, { window }) =>
    error(
      `Input tokens exceed the configured limit of ${window} tokens. Your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    ),
  'openai, over the tokens of a minute': (tokens, { window }, output) =>
    json(
      {
        error: {
          message: `Request too large for gpt-4o in organization org-abc on tokens per min (TPM): Limit ${window}, Requested ${tokens + output}. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.`,
          type: 'tokens',
          param: null,
          code: 'rate_limit_exceeded',
        },
      },
      429,
    ),
  'llama.cpp in a line of its own':
    (tokens, { window }) =>
    (response) => {
      const error = {
        ...{ code: 400, message: 'the request exceeds the available context size, try increasing it' },
        ...{ type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: window },
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`error: ${JSON.stringify(error)}\n\ndata: [DONE]\n\n`)
    },
  openrouter: (tokens, { window }, output) =>
    error(
      `This endpoint's maximum context length is ${window} tokens. However, you requested about ${tokens + output} tokens (${tokens - 100} of text input, 100 of tool input, ${output} in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
    ),
  sglang: (tokens, { window }) =>
    json(
      {
        object: 'error',
        message: `The input (${tokens} tokens) is longer than the model's context length (${window} tokens).`,
      },
      400,
    ),
  'sglang, prompt and answer together': (tokens, { window }, output) =>
    json(
      {
        object: 'error',
        message: `Requested token count exceeds the model's maximum context length of ${window} tokens. You requested a total of ${tokens + output} tokens: ${tokens} tokens from the input messages and ${output} tokens for the completion.`,
      },
      400,
    ),
  'numbers with commas': (tokens, { window }) =>
    error(
      `This model's maximum context length is ${window.toLocaleString('en')} tokens. However, your messages resulted in ${tokens.toLocaleString('en')} tokens.`,
    ),
}

/** Refusals without numbers that are read. */
export const SILENT: Readonly<Record<string, Refusal>> = {
  'vllm of the decoder': (tokens, { window }) =>
    json(
      {
        object: 'error',
        message: `The decoder prompt (length ${tokens}) is longer than the maximum model length of ${window}. Make sure that \`max_model_len\` is no smaller than the number of text tokens.`,
      },
      400,
    ),
  'vllm of pictures, as its own failure': (tokens, { window }) =>
    json(
      {
        object: 'error',
        message: `The prompt (total length ${tokens}) is too long to fit into the model (context length ${window}). Make sure that \`max_model_len\` is no smaller than the number of text tokens plus multimodal tokens.`,
        type: 'InternalServerError',
        param: null,
        code: 500,
      },
      500,
    ),
  mistral: (tokens, { window }) =>
    json(
      {
        object: 'error',
        message: `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
      },
      400,
    ),
  xai: (tokens, { window }) =>
    json(
      {
        code: 'Client specified an invalid argument',
        error: `This model's maximum prompt length is ${window} but the request contains ${tokens} tokens.`,
      },
      400,
    ),
  'text generation inference': (tokens, { window }, output) =>
    json(
      {
        error: `Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= ${window}. Given: ${tokens} \`inputs\` tokens and ${output} \`max_new_tokens\``,
        error_type: 'validation',
      },
      422,
    ),
  kimi: (tokens, { window }) =>
    error(`Invalid request: Your request exceeded model token limit: ${window} (requested: ${tokens})`),
  copilot: (tokens, { window }) => error(`prompt token count of ${tokens} exceeds the limit of ${window}`),
  'responses of openai': () => error('Your input exceeds the context window of this model.'),
  groq: () => error('Please reduce the length of the messages or completion.'),
  bedrock: () => error('Input is too long for requested model.'),
  minimax: () => error('invalid params, context window exceeds limit (2013)'),
  dashscope: (_tokens, { window }) => error(`Range of input length should be [1, ${window}]`),
  cohere: () => json({ message: 'too many tokens: size limit exceeded' }, 400),
  'lm studio': () =>
    json(
      {
        error: 'The number of tokens to keep from the initial prompt is greater than the context length',
      },
      400,
    ),
  'a proxy with a page': () => (response) => {
    response.writeHead(413, { 'content-type': 'text/html' })
    response.end('<html><body>413 Request Entity Too Large</body></html>')
  },
}

/** Other backends, with refusals that tell less than those of `DIALECTS`. */
const OTHERS: readonly (readonly [string, Backend, string, Refusal])[] = [
  [
    'gemini without its count',
    'gemini',
    'gemini',
    (_tokens, { window }) =>
      json(
        {
          error: {
            code: 400,
            message: `The input token count exceeds the maximum number of tokens allowed ${window}.`,
            status: 'INVALID_ARGUMENT',
          },
        },
        400,
      ),
  ],
  [
    'anthropic of bytes',
    'anthropic',
    'anthropic',
    () =>
      json(
        {
          type: 'error',
          error: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
        },
        413,
      ),
  ],
  [
    'ollama of its cloud',
    'ollama',
    'ollama that does not cut',
    (tokens, { window }) =>
      json({ error: `prompt too long; exceeded max context length by ${tokens - window} tokens` }, 400),
  ],
]

/** A server of the chat-completions format that refuses so. */
export const speaking = (refuses: Refusal): Dialect => {
  const { facts: _, ...vllm } = DIALECTS['vllm']!
  return { ...vllm, refuses }
}

/** The other backends by name. None tells its window when it is asked. */
export const OTHER_DIALECTS: readonly (readonly [string, Dialect])[] = OTHERS.map(
  ([name, backend, like, refuses]) => {
    const { facts: _, ...dialect } = DIALECTS[like]!
    return [name, { ...dialect, backend, refuses }]
  },
)
