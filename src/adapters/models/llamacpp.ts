import { CAREFUL_FRAMING } from '../../prompt/framing.ts'
import { chatCompletions } from './openai-compatible.ts'
import type { Provider } from './provider.ts'

/** llama.cpp's server. */
export const llamacpp: Provider = {
  create: chatCompletions('is llama-server running?', 'http://localhost:8080'),
  framing: CAREFUL_FRAMING,
  required: ['model'],
}
