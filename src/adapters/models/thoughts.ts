import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider'
import type { Thought } from '../../turns/ports.ts'
import { keptData } from './provider-data.ts'

/** Puts the thoughts of one answer together from the parts of its stream. */
interface Thoughts {
  /** Takes a part; one that is not about a thought changes nothing. */
  take(part: LanguageModelV3StreamPart): void
  /** All so far, in order. */
  all(): readonly Thought[]
}

/**
 * The signature of a thought may come with any of its parts: Anthropic sends it last, with an empty piece, and sends a
 * thought that it hides with the first part alone (platform.claude.com/docs/en/build-with-claude/extended-thinking).
 */
export function createThoughts(): Thoughts {
  const thoughts = new Map<string, { text: string; metadata: SharedV3ProviderMetadata | undefined }>()
  return {
    take(part) {
      if (part.type !== 'reasoning-start' && part.type !== 'reasoning-delta' && part.type !== 'reasoning-end')
        return
      const before = thoughts.get(part.id)
      const text = (before?.text ?? '') + (part.type === 'reasoning-delta' ? part.delta : '')
      thoughts.set(part.id, { text, metadata: part.providerMetadata ?? before?.metadata })
    },
    all: () =>
      [...thoughts.values()]
        .filter(({ text, metadata }) => text !== '' || metadata)
        .map(({ text, metadata }) => ({ text, ...keptData(metadata) })),
  }
}
