import { z } from 'zod'
import type { SearchHit } from '../../../tools/web.ts'

/** A text that may be missing. */
export const textField = z
  .string()
  .nullish()
  .transform((text) => text ?? '')

/** Results shown of one answer. */
const MAX_HITS = 20

/** The results in a list. Items that are none are left out. */
export function listOf<Result>(
  items: readonly unknown[],
  schema: z.ZodType<Result>,
  toHit: (result: Result) => SearchHit,
): readonly SearchHit[] {
  return items
    .slice(0, MAX_HITS)
    .map((item) => schema.safeParse(item))
    .flatMap((parsed) => (parsed.success ? toHit(parsed.data) : []))
}
