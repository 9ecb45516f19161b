import type { Log } from '../chat/ports.ts'
import { zip } from '../lib/zip.ts'
import type { Composer, HistoryStore } from './ports.ts'
import type { HistoryRow } from './snapshot.ts'

/**
 * Stores what the rows of a prompt cost, so that the next prompt reads no more rows than can fit. This only saves work:
 * a failure is only logged.
 */
export type RememberCounts = (encoding: string, rows: readonly HistoryRow[]) => Promise<void>

export const createHistoryCounts =
  (history: Pick<HistoryStore, 'saveCounts'>, composer: Pick<Composer, 'count'>, log: Log): RememberCounts =>
  async (encoding, rows) => {
    const fresh = rows.filter((row) => row.tokens === undefined).map(({ entry }) => entry)
    if (fresh.length === 0) return
    try {
      const texts = fresh.map(({ author, text }) => `${author}: ${text}`)
      const counted = zip(fresh, await composer.count(encoding, texts))
      await history.saveCounts(encoding, new Map(counted.map(([{ id }, count]) => [id, count])))
    } catch (error) {
      log.debug({ error }, 'rows of history could not be counted')
    }
  }
