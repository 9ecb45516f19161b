import type { Log } from '../chat/ports.ts'
import type { Composer, HistoryStore } from './ports.ts'
import type { HistoryRow } from './snapshot.ts'

/** What counting rows takes. */
export interface HistoryCountParts {
  readonly composer: Pick<Composer, 'count'>
  readonly history: Pick<HistoryStore, 'saveCounts'>
  readonly log: Log
}

/**
 * Remembers what the rows of a prompt cost (they were counted for it just now), so that the next prompt reads no more rows than can fit.
 * It only saves work: a failure is logged and nothing else.
 */
export async function rememberCounts(
  parts: HistoryCountParts,
  encoding: string,
  rows: readonly HistoryRow[],
): Promise<void> {
  const fresh = rows.filter((row) => row.tokens === undefined)
  if (fresh.length === 0) return
  try {
    const texts = fresh.map(({ entry }) => `${entry.author}: ${entry.text}`)
    const counts = await parts.composer.count(encoding, texts)
    await parts.history.saveCounts(
      encoding,
      new Map(fresh.map(({ entry }, index) => [entry.id, counts[index]!])),
    )
  } catch (error) {
    parts.log.debug({ error }, 'rows of history could not be counted')
  }
}
