import { EXACT_FRAMING, type Framing } from '../model-settings.ts'
import { createPricer } from '../scope/tool-definitions.ts'
import type { CatalogueTool } from '../snapshot.ts'
import { createTokenCounters } from '../tokens/tiktoken.ts'

/** Tokens of a tool's definition as it is sent. */
export interface PricedTool {
  readonly id: string
  readonly name: string
  readonly full: number
  /** With one sentence, and without descriptions of parameters. */
  readonly short: number
}

/** Counts definitions, in the order of the tools. Throws `WrapError` for an unknown encoding. */
export function priceCatalogue(
  tools: readonly CatalogueTool[],
  { encoding = 'o200k_base', framing = EXACT_FRAMING }: { encoding?: string; framing?: Framing } = {},
): readonly PricedTool[] {
  const counters = createTokenCounters()
  try {
    const price = createPricer(framing, counters.of(encoding))
    const tokens = (tool: CatalogueTool, form: 'full' | 'short') => price.of(tool, form).sent.tokens
    return tools.map((tool) => {
      const { id, name } = tool
      return { id, name, full: tokens(tool, 'full'), short: tokens(tool, 'short') }
    })
  } finally {
    counters.close()
  }
}
