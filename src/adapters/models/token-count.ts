import { z } from 'zod'

/** A number of tokens in what a server sends; some proxies and gateways send it as text. */
const tokenCount = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])

/** The size of a window: a number as above that is not zero. */
export const windowSize = tokenCount.pipe(z.int().min(1))
