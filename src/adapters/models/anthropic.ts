import { createAnthropic } from '@ai-sdk/anthropic'
import type { LanguageModel } from '../../turns/ports.ts'
import type { ModelConfig, ModelLimits } from './config.ts'
import { versionedEndpoint } from './endpoint.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { sdkModel } from './sdk-model.ts'

/** Anthropic by its messages API. */
export function anthropicModel(config: ModelConfig, limits: ModelLimits): LanguageModel {
  const baseURL = versionedEndpoint(config, 'https://api.anthropic.com')
  const provider = createAnthropic({ baseURL, apiKey: config.apiKey ?? '', fetch: guardedFetch(limits) })
  return sdkModel(provider(config.model), { config, endpoint: baseURL, question: 'is the network up?' })
}
