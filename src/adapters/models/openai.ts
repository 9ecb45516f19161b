import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import type { LanguageModel, ModelFacts } from '../../turns/ports.ts'
import { chatDialect } from './chat-completions.ts'
import { queryServer } from './fetch.ts'
import { countIn, listIn, objectIn } from './loose.ts'
import { endpoint, versionedEndpoint, type ModelAccess, type ModelLimits, type Provider } from './provider.ts'
import { createSdkModel, hosted } from './sdk-model.ts'

/** OpenAI by its chat-completions API. */
export const openai: Provider = {
  create: hosted(
    (access) => versionedEndpoint(access, 'https://api.openai.com'),
    async (options, model) => {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options).chat(model)
    },
    { dialect: chatDialect },
  ),
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
  usual: { name: 'gpt', model: 'gpt-4.1', context_window: 128_000, api_key_env: 'OPENAI_API_KEY' },
}

/** Any server that speaks the OpenAI chat-completions stream, wherever it is: vLLM, LM Studio and others. */
export const openaiCompatible: Provider = {
  create: chatCompletions('is its server running?', {
    // Of `GET /v1/models`, only vLLM's tells a window (github.com/vllm-project/vllm/pull/4643).
    async ask(access, signal) {
      const { data } = await queryServer(`${versionedEndpoint(access)}/models`, access, signal)
      const model = listIn(data).find((one) => objectIn(one)['id'] === access.model)
      const window = countIn(objectIn(model)['max_model_len'])
      return window ? { window } : {}
    },
  }),
  // Many of these servers keep to OpenAI's number.
  framing: { ...CAREFUL_FRAMING, maxTools: 128 },
  required: ['model', 'endpoint'],
}

const LLAMACPP_ENDPOINT = 'http://localhost:8080'

/** llama.cpp's server. */
export const llamacpp: Provider = {
  create: chatCompletions('is llama-server running?', {
    usualEndpoint: LLAMACPP_ENDPOINT,
    // `n_ctx` is the window of one slot (github.com/ggml-org/llama.cpp, tools/server/README.md).
    async ask(access, signal) {
      const url = `${endpoint(access, LLAMACPP_ENDPOINT).replace(/\/v1$/, '')}/props`
      const props = await queryServer(url, access, signal)
      const window = countIn(objectIn(props['default_generation_settings'])['n_ctx'])
      return window ? { window } : {}
    },
  }),
  framing: CAREFUL_FRAMING,
  required: ['model'],
}

/** What differs between such servers. */
interface CompatibleServer {
  /** Where it listens unless told otherwise. */
  readonly usualEndpoint?: string
  /** How it is asked about a model. */
  readonly ask: (access: ModelAccess, signal: AbortSignal) => Promise<ModelFacts>
}

/** The adapter for such a server. `advice` is what an admin should look at if nothing answers at the endpoint. */
function chatCompletions(advice: string, { usualEndpoint, ask }: CompatibleServer) {
  return (access: ModelAccess, limits: ModelLimits): LanguageModel => {
    const baseURL = versionedEndpoint(access, usualEndpoint)
    const load = async (fetchIt: typeof fetch) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const provider = createOpenAICompatible({
        name: access.backend,
        baseURL,
        includeUsage: true,
        fetch: fetchIt,
        ...(access.apiKey ? { apiKey: access.apiKey } : {}),
      })
      return provider.chatModel(access.model)
    }
    const target = { access, endpoint: baseURL, advice }
    return createSdkModel(load, target, {
      dialect: chatDialect,
      limits,
      inquire: (signal) => ask(access, signal),
    })
  }
}
