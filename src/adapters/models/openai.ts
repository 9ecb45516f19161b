import { versionedEndpoint } from './endpoint.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { Provider } from './provider.ts'
import { sdkModel } from './sdk-model.ts'

/** OpenAI by its chat-completions API. */
export const openai: Provider = {
  create(access, limits) {
    const baseURL = versionedEndpoint(access, 'https://api.openai.com')
    const load = async () => {
      const { createOpenAI } = await import('@ai-sdk/openai')
      // Without a key, even an empty one, the library would look in the environment.
      const options = { baseURL, apiKey: access.apiKey ?? '', fetch: guardedFetch(limits) }
      return createOpenAI(options).chat(access.model)
    }
    return sdkModel(load, { access, endpoint: baseURL, question: 'is the network up?' })
  },
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
