import { createHash } from 'node:crypto'
import { CAREFUL_FRAMING } from '../wrap/index.ts'
import type { ModelFacts } from '../wrap/loop/index.ts'
import type { Dialect, Piece } from './answer.ts'
import { piecesOfThought, withThoughts, withWholeDetails } from './chat-thoughts.ts'
import { queryServer } from './fetch.ts'
import {
  argumentsText,
  asCount,
  hasContent,
  asList,
  asObject,
  asParsedObject,
  asText,
  joinTexts,
  type Fields,
} from './loose.ts'
import { openaiPictures } from './openai-pictures.ts'
import { endpoint, REQUEST_KEYS, versionedEndpoint, type ModelAccess, type Provider } from './provider.ts'
import { responsesDialect, responsesSettings } from './responses.ts'
import { askBySdk, servedModel, type SdkOptions } from './served-model.ts'

export const openai: Provider = {
  create: servedModel({
    endpointOf: (access) => versionedEndpoint(access, 'https://api.openai.com'),
    ask: askBySdk({
      async load(options, { model, api = 'chat' }) {
        const { createOpenAI } = await import('@ai-sdk/openai')
        return createOpenAI(options)[api](model)
      },
      settings: (access, _, room) => ({
        ...(access.api === 'responses' ? responsesSettings(access) : chatSettings(access)),
        prompt_cache_key: room === undefined ? undefined : cacheKey(room),
      }),
      echo: withThoughts,
      picturesInResults: ({ api }) => api === 'responses',
    }),
    dialect: ({ api }) => (api === 'responses' ? responsesDialect() : withWholeDetails(chatDialect)),
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
  pictures: openaiPictures,
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed', 'reasoning_effort', 'api'],
  usual: { name: 'gpt', model: 'gpt-4.1', context_window: 128_000, api_key_env: 'OPENAI_API_KEY' },
}

/**
 * Routes a room's requests to machines that cache its prefix
 * (platform.openai.com/docs/guides/prompt-caching).
 */
const cacheKey = (room: string): string => createHash('sha256').update(`sshawl ${room}`).digest('base64url')

/** Loads the SDK for OpenAI-compatible servers. Without a key it sends no header. */
async function loadCompatible({ apiKey, ...options }: SdkOptions, { backend, model }: ModelAccess) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const key = apiKey === '' ? {} : { apiKey }
  return createOpenAICompatible({ name: backend, includeUsage: true, ...options, ...key }).chatModel(model)
}

/** Any server with OpenAI's chat completions, such as vLLM and LM Studio. */
export const openaiCompatible: Provider = {
  create: servedModel({
    endpointOf: versionedEndpoint,
    ask: askBySdk({ load: loadCompatible, settings: chatSettings, echo: withThoughts }),
    dialect: () => withWholeDetails(chatDialect),
    advice: 'is its server running?',
    // Only vLLM's `GET /v1/models` reports the window (github.com/vllm-project/vllm/pull/4643).
    async inquire(access, signal) {
      const { data } = await queryServer(`${versionedEndpoint(access)}/models`, access, signal)
      const model = asList(data).find((one) => asObject(one)['id'] === access.model)
      return windowOf(asObject(model)['max_model_len'])
    },
  }),
  // Many compatible servers have OpenAI's limit of 128 tools.
  framing: { ...CAREFUL_FRAMING, maxTools: 128 },
  required: ['model', 'endpoint'],
  takes: [...REQUEST_KEYS, 'seed', 'reasoning_effort'],
}

const LLAMACPP_ENDPOINT = 'http://localhost:8080'

export const llamacpp: Provider = {
  create: servedModel({
    endpointOf: (access) => versionedEndpoint(access, LLAMACPP_ENDPOINT),
    ask: askBySdk({
      load: loadCompatible,
      // A chat template reads the effort (github.com/ggml-org/llama.cpp, tools/server/README.md).
      settings: (access) => ({
        ...chatSettings(access),
        ...(access.effort ? { chat_template_kwargs: { reasoning_effort: access.effort } } : {}),
      }),
      echo: withThoughts,
    }),
    dialect: () => withWholeDetails(chatDialect),
    advice: 'is llama-server running?',
    // `n_ctx` is the window of one slot (github.com/ggml-org/llama.cpp, tools/server/README.md).
    async inquire(access, signal) {
      const url = `${endpoint(access, LLAMACPP_ENDPOINT).replace(/\/v1$/, '')}/props`
      const props = await queryServer(url, access, signal)
      const { vision } = asObject(props['modalities'])
      return {
        ...windowOf(asObject(props['default_generation_settings'])['n_ctx']),
        ...(typeof vision === 'boolean' ? { images: vision } : {}),
      }
    },
  }),
  framing: CAREFUL_FRAMING,
  required: ['model'],
  takes: [...REQUEST_KEYS, 'seed', 'reasoning_effort'],
}

/** Source: platform.openai.com/docs/api-reference/chat/create */
function chatSettings(access: ModelAccess): Fields {
  const { temperature, topP, seed, stop, effort, reasoningEffort = effort } = access
  return { temperature, top_p: topP, seed, stop, reasoning_effort: reasoningEffort }
}

function windowOf(value: unknown): ModelFacts {
  const window = asCount(value)
  return window ? { window } : {}
}

const chatDialect: Dialect = {
  field: 'choices',
  *read(event) {
    const choice = asObject(asList(event['choices'])[0])
    const { delta = null, message = null } = choice
    const written = delta ?? message ?? choice['text']
    const fields = typeof written === 'object' ? asObject(written) : { content: written }
    yield* piecesOfContent(fields)
    // The older form of a call, from before tools existed, has only the function.
    const old = asList(fields['function_call']).map(
      (call) => hasContent(call) && { index: 0, function: call },
    )
    for (const call of [...asList(fields['tool_calls']), ...old].map(asObject))
      if (hasContent(call)) yield toCallPiece(call)
    const end = asText(choice['finish_reason']) ?? asText(asObject(choice['finish_reason'])['type'])
    // A complete message needs no finish reason.
    if (end || (delta === null && message !== null)) yield { end: end ?? '' }
  },
  usage({ usage, choices, x_groq }) {
    // Kimi's usage is in the choice (platform.moonshot.ai/docs/api/chat), Groq's may be in `x_groq`.
    const places = [usage, asObject(asList(choices)[0])['usage'], asObject(x_groq)['usage']]
    const { prompt_tokens, prompt_tokens_details, completion_tokens, ...others } = asObject(
      places.find(hasContent),
    )
    // DeepSeek (api-docs.deepseek.com/guides/kv_cache) and Kimi use other names for cached tokens.
    const { cached_tokens = others['prompt_cache_hit_tokens'] ?? others['cached_tokens'] } =
      asObject(prompt_tokens_details)
    return { input: prompt_tokens, cached: cached_tokens, output: completion_tokens }
  },
}

/** OpenAI's refusals are read as text. */
function* piecesOfContent(delta: Fields): Iterable<Piece> {
  yield* piecesOfThought(delta)
  const text = joinTexts(delta['content']) + joinTexts(delta['refusal'])
  if (text) yield { text }
}

function toCallPiece(piece: Fields): Piece {
  const { name, arguments: args } = asParsedObject(piece['function'] ?? piece)
  // Sent by Gemini's OpenAI-compatible server (ai.google.dev/gemini-api/docs/thought-signatures).
  const signature = asText(asObject(asObject(piece['extra_content'])['google'])['thought_signature'])
  return {
    call: {
      index: asCount(piece['index']),
      id: asText(piece['id']),
      name: asText(name),
      arguments: argumentsText(args),
      providerData: signature ? { google: { thoughtSignature: signature } } : undefined,
    },
  }
}
