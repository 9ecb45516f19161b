import { z } from 'zod'
import { MAX_PRICE, millionths } from '../lib/price.ts'

/** Per million tokens, as providers print it; kept as whole millionths, so that sums are exact. */
const rate = z
  .number('write a price per million tokens, such as 2.5')
  .min(0)
  .max(MAX_PRICE)
  .transform((value, context) => {
    const exact = millionths(value)
    if (exact !== undefined) return exact
    context.addIssue({ code: 'custom', message: 'write a price with at most 6 digits after the point' })
    return z.NEVER
  })

/** `price` of a model. What a provider had cached costs as much as other input where the file does not say. */
export const price = z
  .strictObject({ input: rate, cached: rate.optional(), output: rate })
  .transform(({ input, cached = input, output }) => ({ input, cached, output }))
