import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModel } from '../../turns/ports.ts'
import type { ModelConfig, ModelLimits } from './config.ts'
import { versionedEndpoint } from './endpoint.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { sdkModel } from './sdk-model.ts'

/** OpenAI by its chat-completions API: the one whose request is what the budget counts. */
export function openaiModel(config: ModelConfig, limits: ModelLimits): LanguageModel {
  const baseURL = versionedEndpoint(config, 'https://api.openai.com')
  // An empty key is given rather than none, so that the library does not look in the environment.
  const provider = createOpenAI({ baseURL, apiKey: config.apiKey ?? '', fetch: guardedFetch(limits) })
  return sdkModel(provider.chat(config.model), { config, endpoint: baseURL, question: 'is the network up?' })
}
