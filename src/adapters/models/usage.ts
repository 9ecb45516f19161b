import { z } from 'zod'
import type { Usage } from '../../chat/entry.ts'
import type { ReportedSoFar } from '../../turns/ports.ts'

/** No model can have read or written more than this in one step. */
const MAX_TOKENS = 1_000_000_000

/** A report as a usage. One that cannot be true is left out, because it would stay in the sums for ever. */
export function usageOf({
  input,
  cached,
  output,
}: Partial<Record<keyof ReportedSoFar, number | undefined>>): {
  usage?: Usage
} {
  if (!isCount(input) || !isCount(output)) return {}
  return { usage: { input, output, ...(isCount(cached) && cached > 0 && cached <= input ? { cached } : {}) } }
}

const isCount = (tokens: number | undefined): tokens is number =>
  tokens !== undefined && Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS

/** What a piece of a stream reports, as its provider sent it; undefined where it reports nothing. */
export type ReportIn = (piece: unknown) => ReportedSoFar | undefined

const count = z.int().min(0).max(MAX_TOKENS).nullish().catch(undefined)

const anthropicUsage = z.object({
  input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  output_tokens: count,
})
const anthropicPiece = z.union([
  z.object({ message: z.object({ usage: anthropicUsage }) }).transform(({ message }) => message.usage),
  z.object({ usage: anthropicUsage }).transform(({ usage }) => usage),
])

/** Anthropic tells what it reads at the beginning (platform.claude.com/docs/en/build-with-claude/streaming). */
export const anthropicReport: ReportIn = (piece) => {
  const { data } = anthropicPiece.safeParse(piece)
  if (!data) return undefined
  const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = data
  const input = fresh == null ? undefined : fresh + (read ?? 0) + (written ?? 0)
  return told({ input, cached: read, output: data.output_tokens })
}

const geminiPiece = z.object({
  usageMetadata: z.object({
    promptTokenCount: count,
    cachedContentTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
  }),
})

/** Gemini tells its counts of now with each piece (ai.google.dev/api/generate-content, UsageMetadata). */
export const geminiReport: ReportIn = (piece) => {
  const usage = geminiPiece.safeParse(piece).data?.usageMetadata
  if (!usage) return undefined
  const { candidatesTokenCount: said, thoughtsTokenCount: thought } = usage
  const output = said == null && thought == null ? undefined : (said ?? 0) + (thought ?? 0)
  return told({ input: usage.promptTokenCount, cached: usage.cachedContentTokenCount, output })
}

const chatPiece = z.object({
  usage: z.object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(undefined),
  }),
})

/** Chat completions tell it in the last piece before the end, some servers in each one. */
export const chatReport: ReportIn = (piece) => {
  const usage = chatPiece.safeParse(piece).data?.usage
  if (!usage) return undefined
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage
  return told({ input, cached: details?.cached_tokens, output })
}

/** Without what was not told. */
const told = ({
  input,
  cached,
  output,
}: Record<keyof ReportedSoFar, number | null | undefined>): ReportedSoFar => ({
  ...(input == null ? {} : { input }),
  ...(input != null && cached && cached <= input ? { cached } : {}),
  ...(output == null ? {} : { output }),
})
