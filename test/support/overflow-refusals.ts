import type { Backend } from '../../src/models/providers.ts'
import { DIALECTS, error, type Dialect, type TrueModel } from './counting-servers.ts'
import type { Script } from './model-server.ts'
import { json } from './ollama-wire.ts'

/** A refusal: what the server says of a prompt of so many tokens. */
type Refusal = (tokens: number, model: TrueModel, maxOutput: number) => Script

/**
 * Refusals that tell both numbers, one of each form on the wire, beside those of `DIALECTS`. All wordings are read in
 * test/unit/models/refusals.test.ts.
 */
export const TELLING: Readonly<Record<string, Refusal>> = {
  'vllm of now': (tokens, { window }, output) =>
    error(
      `You passed ${tokens} input tokens and requested ${output} output tokens. However, the model's context length is only ${window} tokens, resulting in a maximum input length of ${window - output} tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=${tokens})`,
      { code: 400 },
    ),
  'openai, over the tokens of a minute': (tokens, { window }, output) =>
    error(
      `Request too large for gpt-4o in organization org-abc on tokens per min (TPM): Limit ${window}, Requested ${tokens + output}. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.`,
      { type: 'tokens', param: null, code: 'rate_limit_exceeded' },
      429,
    ),
  'llama.cpp in a line of its own':
    (tokens, { window }) =>
    (response) => {
      const refusal = {
        ...{ code: 400, message: 'the request exceeds the available context size, try increasing it' },
        ...{ type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: window },
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`error: ${JSON.stringify(refusal)}\n\ndata: [DONE]\n\n`)
    },
  sglang: (tokens, { window }) =>
    json(
      {
        object: 'error',
        message: `The input (${tokens} tokens) is longer than the model's context length (${window} tokens).`,
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
}

/** Refusals without numbers that are read, one of each form on the wire. */
export const SILENT: Readonly<Record<string, Refusal>> = {
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
  groq: () => error('Please reduce the length of the messages or completion.', { code: 400 }),
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
      error(`The input token count exceeds the maximum number of tokens allowed ${window}.`, {
        code: 400,
        status: 'INVALID_ARGUMENT',
      }),
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
