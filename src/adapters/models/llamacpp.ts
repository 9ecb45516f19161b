import { z } from 'zod'
import { CAREFUL_FRAMING } from '../../prompt/model-settings.ts'
import { endpoint } from './endpoint.ts'
import { inquire } from './inquire.ts'
import { chatCompletions } from './openai-compatible.ts'
import type { Provider } from './provider.ts'
import { windowSize } from './token-count.ts'

const ENDPOINT = 'http://localhost:8080'

/** llama.cpp's server. */
export const llamacpp: Provider = {
  create: chatCompletions('is llama-server running?', {
    usualEndpoint: ENDPOINT,
    async ask(access, signal) {
      const url = `${endpoint(access, ENDPOINT).replace(/\/v1$/, '')}/props`
      const { default_generation_settings } = await inquire({ url, schema: propsSchema }, access, signal)
      return { window: default_generation_settings.n_ctx }
    },
  }),
  framing: CAREFUL_FRAMING,
  required: ['model'],
}

/**
 * What `GET /props` tells, as far as it is read here: `n_ctx` is the window of one slot
 * (github.com/ggml-org/llama.cpp, tools/server/README.md; seen at mvysny.github.io/llama-server-endpoints).
 */
const propsSchema = z.object({ default_generation_settings: z.object({ n_ctx: windowSize }) })
