import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { LanguageModel } from '../../turns/ports.ts'
import type { ModelConfig, ModelLimits } from './config.ts'
import { endpoint } from './endpoint.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { sdkModel } from './sdk-model.ts'

/** Google's Gemini by its own API. */
export function geminiModel(config: ModelConfig, limits: ModelLimits): LanguageModel {
  const baseURL = endpoint(config, 'https://generativelanguage.googleapis.com/v1beta')
  const provider = createGoogleGenerativeAI({
    baseURL,
    apiKey: config.apiKey ?? '',
    fetch: guardedFetch(limits),
  })
  return sdkModel(provider(config.model), { config, endpoint: baseURL, question: 'is the network up?' })
}
