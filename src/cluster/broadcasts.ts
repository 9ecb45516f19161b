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

/** Broadcasts are stored, so that a server that was cut off does them later, each once. */
export function createBroadcasts(
  { broadcasts, changes }: Pick<ClusterStores, 'broadcasts' | 'changes'>,
  log: Pick<Log, 'error'>,
): Pick<Peers, 'broadcast'> & BroadcastListener {
  const performers = new Map<keyof Broadcasts, (data: never) => Promise<void>>()
  /** Those that were performed and may be read again. */
  let done: Set<string> | undefined

  changes.on('broadcasts', async (keys: readonly string[] | 'all') => {
    const ids = keys === 'all' ? await broadcasts.ids() : keys
    // Those sent before this server began are not for it.
    const performed = (done ??= new Set(ids))
    const fresh = ids.filter((id) => !performed.has(id))
    for (const { id, kind, data } of fresh.length > 0 ? await broadcasts.read(fresh) : []) {
      await performers.get(kind)?.(data as never)
      performed.add(id)
    }
    if (keys === 'all') done = new Set(ids)
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
