import type { Backend } from '../../src/models/providers.ts'
import { anthropicAnswer, geminiAnswer } from './hosted-wires.ts'
import { answer, type RecordedRequest, type Script } from './model-server.ts'
import { end, json, jsonLines, part } from './ollama-wire.ts'
import { tokenCounters } from './token-counters.ts'

/** A server's model, as it really is. */
export interface TrueModel {
  /** Tokens, prompt and answer together. */
  readonly window: number
  /** How many tokens it counts for each of ours. */
  readonly density: number
}

/** How a kind of server speaks: what it answers, how it refuses a prompt that is too long, and what it tells of itself. */
export interface Dialect {
  readonly backend: Backend
  says(text: string, input: number): Script
  refuses(tokens: number, model: TrueModel, maxOutput: number): Script
  maxOutput(body: Readonly<Record<string, unknown>>): number
  /** Answers to questions about the model, by the end of their path. */
  readonly facts?: (model: TrueModel) => Readonly<Record<string, Script>>
}

/** What a counting server has done. */
export interface Tally {
  /** Tokens of each prompt that it answered, as it counts them. */
  readonly accepted: number[]
  /** Tokens of each prompt that it refused. */
  readonly refused: number[]
}

/** A script for a server that counts each prompt, refuses what its window does not hold, and answers the rest. */
export function countingServer(
  dialect: Dialect,
  model: TrueModel,
): { readonly script: Script; readonly tally: Tally } {
  const counter = tokenCounters.of('o200k_base')
  const tally: Tally = { accepted: [], refused: [] }
  const count = ({ body }: RecordedRequest): number =>
    Math.ceil(textsIn(body).reduce((sum, text) => sum + counter.count(text), 0) * model.density)
  return {
    tally,
    script(response, request) {
      const facts = Object.entries(dialect.facts?.(model) ?? {}).find(([path]) => request.path.endsWith(path))
      if (facts) return facts[1](response, request)
      if (!/chat|messages|generateContent/i.test(request.path))
        return json({ error: 'not found' }, 404)(response, request)
      const tokens = count(request)
      const maxOutput = dialect.maxOutput(request.body)
      const fits = tokens + maxOutput <= model.window
      ;(fits ? tally.accepted : tally.refused).push(tokens)
      const script = fits ? dialect.says('ok', tokens) : dialect.refuses(tokens, model, maxOutput)
      return script(response, request)
    },
  }
}

/** What models read as JSON, names of keys included. */
const JSON_KEYS: readonly string[] = ['tools', 'tool_calls', 'functionCall', 'functionResponse']

/** The texts that a model would read: all that is in the body but the names of its keys, with tools and calls as JSON. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    JSON_KEYS.includes(key) ? [JSON.stringify(inner)] : textsIn(inner),
  )
}

const numberAt = (value: unknown, ...path: readonly string[]): number =>
  Number(path.reduce((one: unknown, key) => (one as Record<string, unknown> | undefined)?.[key], value) ?? 0)

const chat = (text: string, input: number): Script => answer([{ text }], { usage: [input, 2] })
const maxTokens = (body: object): number => numberAt(body, 'max_tokens')

/** A refusal as most servers send it. */
export const error = (message: string, more: object = {}, status = 400): Script =>
  json({ error: { message, ...more } }, status)

/** Every kind of server that refuses what is too long, in its own words (src/models/refusals.ts has the sources). */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  openai: {
    backend: 'openai',
    says: chat,
    maxOutput: maxTokens,
    refuses: (tokens, { window }) =>
      error(
        `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
      ),
  },
  vllm: {
    backend: 'openai-compatible',
    says: chat,
    maxOutput: maxTokens,
    refuses: (tokens, { window }, output) =>
      json(
        {
          object: 'error',
          message: `This model's maximum context length is ${window} tokens. However, you requested ${tokens + output} tokens (${tokens} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
        400,
      ),
    facts: ({ window }) => ({
      '/v1/models': json({
        object: 'list',
        data: [{ id: 'qwen3:8b', object: 'model', max_model_len: window }],
      }),
    }),
  },
  'vllm that does not count to the end': {
    backend: 'openai-compatible',
    says: chat,
    maxOutput: maxTokens,
    refuses: (_tokens, { window }, output) =>
      error(
        `This model's maximum context length is ${window} tokens. However, you requested ${output} output tokens and your prompt contains at least ${window - output + 1} input tokens, for a total of at least ${window + 1} tokens.`,
        { type: 'BadRequestError', code: 400 },
      ),
  },
  llamacpp: {
    backend: 'llamacpp',
    says: chat,
    maxOutput: maxTokens,
    refuses: (tokens, { window }) =>
      error(
        'the request exceeds the available context size. try increasing the context size or enable context shift',
        { code: 400, type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: window },
      ),
    facts: ({ window }) => ({
      '/props': json({ default_generation_settings: { n_ctx: window }, total_slots: 1 }),
    }),
  },
  'llamacpp of before, which tells no number': {
    backend: 'llamacpp',
    says: chat,
    maxOutput: maxTokens,
    refuses: () =>
      error('the request exceeds the available context size, try increasing it', { code: 500 }, 500),
  },
  anthropic: {
    backend: 'anthropic',
    says: (text, input) =>
      anthropicAnswer(
        { type: 'text', text: '' },
        { type: 'text_delta', text },
        ...(['end_turn', { input_tokens: input }, 2] as const),
      ),
    maxOutput: maxTokens,
    refuses: (tokens, { window }, output) =>
      json(
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message:
              tokens > window
                ? `prompt is too long: ${tokens} tokens > ${window} maximum`
                : `input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`,
          },
        },
        400,
      ),
  },
  gemini: {
    backend: 'gemini',
    says: (text, input) => geminiAnswer({ text }, input, 2),
    maxOutput: (body) => numberAt(body, 'generationConfig', 'maxOutputTokens'),
    refuses: (tokens, { window }) =>
      error(`The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`, {
        code: 400,
        status: 'INVALID_ARGUMENT',
      }),
  },
  'ollama that does not cut': {
    backend: 'ollama',
    says: (text, input) => jsonLines(part({ content: text }), end(input, 2)),
    maxOutput: (body) => numberAt(body, 'options', 'num_predict'),
    refuses: () => json({ error: 'the input length exceeds the context length' }, 400),
    facts: ({ window }) => ({ '/api/show': json(shown({ window })) }),
  },
}

/** What Ollama's `/api/show` tells. */
export const shown = ({
  window,
  capabilities = ['completion', 'tools'],
  template = '{{ .System }} {{ .Prompt }}',
}: {
  readonly window: number
  readonly capabilities?: readonly string[]
  readonly template?: string
}): object => ({
  modelfile: 'FROM /models/blob',
  template,
  capabilities,
  model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': window },
})
