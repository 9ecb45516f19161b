import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import type { ModelFacts } from '../../turns/ports.ts'
import { addCall, reportOf, type Dialect } from './answer.ts'
import { queryServer } from './fetch.ts'
import {
  argumentsIn,
  countIn,
  isSaid,
  listIn,
  objectIn,
  parsedIn,
  textIn,
  wordsIn,
  type Fields,
} from './loose.ts'
import { endpoint, REQUEST_KEYS, versionedEndpoint, type ModelAccess, type Provider } from './provider.ts'
import { responsesDialect, responsesSettings } from './responses.ts'
import { sdkModel, type SdkOptions } from './sdk-model.ts'

export const openai: Provider = {
  create: sdkModel({
    endpointOf: (access) => versionedEndpoint(access, 'https://api.openai.com'),
    async load(options, { model, api = 'chat' }) {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options)[api](model)
    },
    dialect: ({ api }) => (api === 'responses' ? responsesDialect() : chatDialect()),
    settings: (access) => (access.api === 'responses' ? responsesSettings(access) : chatSettings(access)),
  }),
  framing: {
    perRequest: 9,
    perToolset: 12,
    perTool: 9,
    factor: 1,
    maxTools: 128,
    tolerance: 26,
    source:
      'OpenAI Cookbook, How to count tokens with tiktoken: 3 a message, 3 for the answer, 7 a function (10 before gpt-4o), 3 a property, 12 at the end of the functions; usages recorded in openai-messages-token-helper, tests/functions.py; maxItems of functions in github.com/openai/openai-openapi, pull request 76; 2026-11',
  },
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed', 'reasoning_effort', 'api'],
  usual: { name: 'gpt', model: 'gpt-4.1', context_window: 128_000, api_key_env: 'OPENAI_API_KEY' },
}

/** Servers that copy OpenAI. A key may be absent: then no header is sent. */
async function loadCompatible({ apiKey, ...options }: SdkOptions, access: ModelAccess) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const key = apiKey === '' ? {} : { apiKey }
  return createOpenAICompatible({
    name: access.backend,
    includeUsage: true,
    ...options,
    ...key,
  }).chatModel(access.model)
}

/** Any server with OpenAI's chat completions: vLLM, LM Studio and others. */
export const openaiCompatible: Provider = {
  create: sdkModel({
    endpointOf: versionedEndpoint,
    load: loadCompatible,
    dialect: chatDialect,
    settings: chatSettings,
    advice: 'is its server running?',
    // Of `GET /v1/models`, only vLLM's tells a window (github.com/vllm-project/vllm/pull/4643).
    async inquire(access, signal) {
      const { data } = await queryServer(`${versionedEndpoint(access)}/models`, access, signal)
      const model = listIn(data).find((one) => objectIn(one)['id'] === access.model)
      return windowOf(objectIn(model)['max_model_len'])
    },
  }),
  // Many of these servers keep to OpenAI's number.
  framing: { ...CAREFUL_FRAMING, maxTools: 128 },
  required: ['model', 'endpoint'],
  takes: [...REQUEST_KEYS, 'seed', 'reasoning_effort'],
}

const LLAMACPP_ENDPOINT = 'http://localhost:8080'

export const llamacpp: Provider = {
  create: sdkModel({
    endpointOf: (access) => versionedEndpoint(access, LLAMACPP_ENDPOINT),
    load: loadCompatible,
    dialect: chatDialect,
    // A template takes it (github.com/ggml-org/llama.cpp, tools/server/README.md).
    settings: (access) => ({
      ...chatSettings(access),
      ...(access.effort ? { chat_template_kwargs: { reasoning_effort: access.effort } } : {}),
    }),
    advice: 'is llama-server running?',
    // `n_ctx` is the window of one slot (github.com/ggml-org/llama.cpp, tools/server/README.md).
    async inquire(access, signal) {
      const url = `${endpoint(access, LLAMACPP_ENDPOINT).replace(/\/v1$/, '')}/props`
      const props = await queryServer(url, access, signal)
      return windowOf(objectIn(props['default_generation_settings'])['n_ctx'])
    },
  }),
  framing: CAREFUL_FRAMING,
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed', 'reasoning_effort'],
}

/** platform.openai.com/docs/api-reference/chat/create */
function chatSettings({
  temperature,
  topP,
  seed,
  stop,
  effort,
  reasoningEffort = effort,
}: ModelAccess): Fields {
  return { temperature, top_p: topP, seed, stop, reasoning_effort: reasoningEffort }
}

function windowOf(value: unknown): ModelFacts {
  const window = countIn(value)
  return window ? { window } : {}
}

/** The stream of OpenAI's chat completions, and of all servers that copy it. */
function chatDialect(): Dialect {
  const calls = new Calls()
  let hasEnd = false
  let isWholeMessage = false
  return {
    field: 'choices',
    read(event) {
      const choice = objectIn(listIn(event['choices'])[0])
      const { delta = null, message = null } = choice
      isWholeMessage ||= delta === null && message !== null
      const written = delta ?? message ?? choice['text']
      const fields = typeof written === 'object' ? objectIn(written) : { content: written }
      const pieces = [...listIn(fields['tool_calls']), ...legacyCall(fields)].map(objectIn).filter(isSaid)
      for (const piece of pieces) calls.add(piece)
      const { text, thinking } = contentIn(fields)
      const reason = reasonIn(choice['finish_reason'])
      hasEnd ||= reason !== undefined
      if (!text && !thinking && !reason && pieces.length === 0) return []
      return [chunk({ content: text || undefined, reasoning_content: thinking || undefined }, reason)]
    },
    end(isWhole) {
      const isEnd = !hasEnd && (isWhole || isWholeMessage)
      // The SDK glues calls together that a server gave the same index, so it gets them whole.
      const tool_calls = calls.all.length > 0 ? { tool_calls: calls.all } : {}
      return isEnd || calls.all.length > 0 ? [chunk(tool_calls, isEnd ? 'stop' : undefined)] : []
    },
    usage(event) {
      const usage = event['usage']
      if (!usage) return undefined
      const counts = objectIn(usage)
      const { cached_tokens } = objectIn(counts['prompt_tokens_details'])
      return reportOf({
        input: countIn(counts['prompt_tokens']),
        // DeepSeek has a name of its own (api-docs.deepseek.com/guides/kv_cache).
        cached: countIn(cached_tokens ?? counts['prompt_cache_hit_tokens']),
        output: countIn(counts['completion_tokens']),
      })
    },
  }
}

const chunk = (delta: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason }],
})

/** Gateways hand the words of other protocols through. */
const REASONS: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  max_output_tokens: 'length',
  end_turn: 'stop',
  eos: 'stop',
  tool_use: 'tool_calls',
}

function reasonIn(value: unknown): string | undefined {
  const word = textIn(value) ?? textIn(objectIn(value)['type'])
  const small = word?.toLowerCase() ?? ''
  return REASONS[small] ?? (small || undefined)
}

/** OpenAI's form of a call before it had tools. */
const legacyCall = ({ function_call: call }: Fields): readonly unknown[] =>
  isSaid(call) ? [{ index: 0, function: call }] : []

/** Mistral sends its content as a list of texts and thoughts. A refusal of OpenAI is read as text. */
function contentIn(delta: Fields): { text: string; thinking: string } {
  let text = ''
  let thinking = wordsIn(delta['reasoning_content'] ?? delta['reasoning'])
  for (const part of listIn(delta['content'])) {
    text += wordsIn(part)
    thinking += wordsIn(objectIn(part)['thinking'])
  }
  return { text: text + wordsIn(delta['refusal']), thinking }
}

interface Call {
  readonly index: number
  readonly type: 'function'
  id?: string
  readonly function: { name: string; arguments: string }
  extra_content?: unknown
}

class Calls {
  readonly all: Call[] = []
  readonly #indexes: (number | undefined)[] = []

  add(piece: Fields): void {
    const { name, arguments: args } = parsedIn(piece['function'] ?? piece)
    const id = textIn(piece['id']) || undefined
    const index = countIn(piece['index'])
    const call = this.#find(id, index, Boolean(name)) ?? this.#begin(index)
    if (id) call.id ??= id
    call.function.name ||= textIn(name) ?? ''
    call.function.arguments += argumentsIn(args) ?? ''
    if (piece['extra_content']) call.extra_content ??= piece['extra_content']
  }

  /** The call that a piece continues. Some servers give all calls one index, or one id, or send neither. */
  #find(id: string | undefined, index: number | undefined, isNamed: boolean): Call | undefined {
    if (!id && index === undefined) return isNamed ? undefined : this.all.at(-1)
    return this.all.findLast(
      (call, place) =>
        (index === undefined || this.#indexes[place] === index) &&
        (!id || call.id === id || (!call.id && index !== undefined)),
    )
  }

  #begin(index: number | undefined): Call {
    const call: Call = { index: this.all.length, type: 'function', function: { name: '', arguments: '' } }
    this.#indexes.push(index)
    addCall(this.all, call)
    return call
  }
}
