import { CAREFUL_FRAMING } from '../../prompt/framing.ts'
import type { LanguageModel } from '../../turns/ports.ts'
import { versionedEndpoint } from './endpoint.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { ModelAccess, ModelLimits, Provider } from './provider.ts'
import { sdkModel } from './sdk-model.ts'

/** Any server that speaks the OpenAI chat-completions stream, wherever it is: vLLM, LM Studio and others. */
export const openaiCompatible: Provider = {
  create: chatCompletions('is its server running?'),
  // Many of these servers keep to OpenAI's number.
  framing: { ...CAREFUL_FRAMING, maxTools: 128 },
  required: ['model', 'endpoint'],
}

/**
 * The adapter for such a server. `question` is what an admin should ask if nothing answers at the endpoint;
 * `usualEndpoint` is where the server listens unless told otherwise.
 */
export function chatCompletions(question: string, usualEndpoint?: string) {
  return (access: ModelAccess, limits: ModelLimits): LanguageModel => {
    const baseURL = versionedEndpoint(access, usualEndpoint)
    const load = async () => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const provider = createOpenAICompatible({
        name: access.backend,
        baseURL,
        includeUsage: true,
        fetch: guardedFetch(limits),
        ...(access.apiKey ? { apiKey: access.apiKey } : {}),
      })
      return provider.chatModel(access.model)
    }
    return sdkModel(load, { access, endpoint: baseURL, question })
  }
}
