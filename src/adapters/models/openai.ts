import { chatDialect } from './chat-completions.ts'
import { versionedEndpoint } from './endpoint.ts'
import { hosted } from './hosted.ts'
import type { Provider } from './provider.ts'

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
