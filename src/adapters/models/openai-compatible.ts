import { z } from 'zod'
import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import type { LanguageModel, ModelFacts } from '../../turns/ports.ts'
import { chatDialect } from './chat-completions.ts'
import { versionedEndpoint } from './endpoint.ts'
import { inquire } from './inquire.ts'
import type { ModelAccess, ModelLimits, Provider } from './provider.ts'
import { sdkModel } from './sdk-model.ts'
import { windowSize } from './token-count.ts'

/** Any server that speaks the OpenAI chat-completions stream, wherever it is: vLLM, LM Studio and others. */
export const openaiCompatible: Provider = {
  create: chatCompletions('is its server running?', {
    async ask(access, signal) {
      const { data } = await inquire(
        { url: `${versionedEndpoint(access)}/models`, schema: modelsSchema },
        access,
        signal,
      )
      const window = data.find(({ id }) => id === access.model)?.max_model_len
      return window ? { window } : {}
    },
  }),
  // Many of these servers keep to OpenAI's number.
  framing: { ...CAREFUL_FRAMING, maxTools: 128 },
  required: ['model', 'endpoint'],
}

/** What `GET /v1/models` lists. Only vLLM has `max_model_len` (github.com/vllm-project/vllm/pull/4643). */
const modelsSchema = z.object({
  data: z.array(z.object({ id: z.string(), max_model_len: windowSize.nullish().catch(undefined) })),
})

/** What differs between such servers. */
interface CompatibleServer {
  /** Where it listens unless told otherwise. */
  readonly usualEndpoint?: string
  /** How it is asked about a model. */
  readonly ask: (access: ModelAccess, signal: AbortSignal) => Promise<ModelFacts>
}

/** The adapter for such a server. `advice` is what an admin should look at if nothing answers at the endpoint. */
export function chatCompletions(advice: string, { usualEndpoint, ask }: CompatibleServer) {
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
    return sdkModel(load, target, {
      dialect: chatDialect,
      limits,
      inquire: (signal) => ask(access, signal),
    })
  }
}
