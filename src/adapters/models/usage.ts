import type { Usage } from '../../chat/entry.ts'

/** No model can have read or written more than this in one step. */
const MAX_TOKENS = 1_000_000_000

/** A report as a usage. One that cannot be true is left out, because it would stay in the sums for ever. */
export function usageOf({ input, cached, output }: Partial<Record<keyof Usage, number | undefined>>): {
  usage?: Usage
} {
  if (!isCount(input) || !isCount(output)) return {}
  return { usage: { input, output, ...(isCount(cached) && cached > 0 && cached <= input ? { cached } : {}) } }
}

const isCount = (tokens: number | undefined): tokens is number =>
  tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS
