import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import type { ModelFacts } from '../../turns/ports.ts'
import { chatDialect } from './chat-completions.ts'
import { queryServer } from './fetch.ts'
import { countIn, listIn, objectIn } from './loose.ts'
import { endpoint, versionedEndpoint, type ModelAccess, type Provider } from './provider.ts'
import { sdkModel, type SdkOptions } from './sdk-model.ts'

export const openai: Provider = {
  create: sdkModel({
    endpointOf: (access) => versionedEndpoint(access, 'https://api.openai.com'),
    async load(options, { model }) {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options).chat(model)
    },
    dialect: chatDialect,
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
}

const LLAMACPP_ENDPOINT = 'http://localhost:8080'

export const llamacpp: Provider = {
  create: sdkModel({
    endpointOf: (access) => versionedEndpoint(access, LLAMACPP_ENDPOINT),
    load: loadCompatible,
    dialect: chatDialect,
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
}

function windowOf(value: unknown): ModelFacts {
  const window = countIn(value)
  return window ? { window } : {}
}
