import { z } from 'zod'

/** How long a server keeps a model, as Ollama takes it (docs.ollama.com/faq): seconds, or a time with its unit. */
export const keepAlive = z.union([
  z.int().min(-1),
  z
    .string()
    .regex(/^-?\d+(ms|s|m|h)$/, 'write seconds, or a time such as "10m"; -1 keeps the model for ever'),
])
