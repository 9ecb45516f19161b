import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from '../../turns/ports.ts'
import type { ModelConfig, ModelLimits } from './config.ts'
import { versionedEndpoint } from './endpoint.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { sdkModel } from './sdk-model.ts'

/**
 * Any server that speaks the OpenAI chat-completions stream: Ollama, llama.cpp, vLLM and others.
 * `question` is what to ask oneself when nothing answers at the endpoint.
 */
export function openaiCompatibleModel(fallback: string | undefined, question: string) {
  return (config: ModelConfig, limits: ModelLimits): LanguageModel => {
    const baseURL = versionedEndpoint(config, fallback)
    const provider = createOpenAICompatible({
      name: config.backend,
      baseURL,
      includeUsage: true,
      fetch: guardedFetch(limits),
      ...(config.apiKey ? { apiKey: config.apiKey } : {}),
    })
    return sdkModel(provider.chatModel(config.model), { config, endpoint: baseURL, question })
  }
}
