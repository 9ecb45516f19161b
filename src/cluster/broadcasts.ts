import { StorageError } from '../chat/errors.ts'
import type { Broadcasts, Peers } from '../chat/peers.ts'
import type { Log } from '../chat/ports.ts'
import type { BroadcastRow, ClusterStores } from './stores.ts'

export interface BroadcastListener {
  /**
   * What this server does for a broadcast of another one. `perform` rejects with `StorageError` to be called
   * again.
   */
  onBroadcast<Kind extends keyof Broadcasts>(
    kind: Kind,
    perform: (data: Broadcasts[Kind]) => Promise<void>,
  ): void
}

/**
 * The number of broadcasts that are remembered as done: news tell of one several times at most within
 * minutes.
 */
const REMEMBERED = 10_000

/** Broadcasts are stored, so that a server that was cut off does them later, each once. */
export function createBroadcasts(
  { broadcasts, news }: Pick<ClusterStores, 'broadcasts' | 'news'>,
  log: Pick<Log, 'error'>,
): Pick<Peers, 'broadcast'> & BroadcastListener {
  const performers = new Map<keyof Broadcasts, (data: never) => Promise<void>>()
  const done = new Set<string>()

  async function perform(id: string): Promise<void> {
    const [row] = await broadcasts.read([id])
    if (row) await performers.get(row.kind)?.(row.data as never)
    done.add(id)
    const [oldest] = done
    if (done.size > REMEMBERED && oldest !== undefined) done.delete(oldest)
  }

  news.on('orders', async (ids: readonly string[]) => {
    for (const id of ids) if (!done.has(id)) await perform(id)
  })
  return {
    async broadcast(kind, data) {
      try {
        await broadcasts.send({ kind, data } as BroadcastRow)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        log.error({ error, kind }, 'the other servers could not be told')
      }
    },
    onBroadcast: (kind, performer) => void performers.set(kind, performer),
  }
}
