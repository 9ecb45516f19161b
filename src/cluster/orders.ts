import type { ClusterStores, OrderKinds, OrderRow } from './ports.ts'

/** What every server of a cluster does that one was told to do. */
export interface Orders {
  /** All other servers do this soon, each once. Resolves when it is certain. Rejects with `StorageError`. */
  give<Kind extends keyof OrderKinds>(kind: Kind, data: OrderKinds[Kind]): Promise<void>
  /** What this server does for an order of another one; one for each kind. Rejects with `StorageError` to be called again. */
  on<Kind extends keyof OrderKinds>(kind: Kind, perform: (data: OrderKinds[Kind]) => Promise<void>): void
}

/** So many orders are remembered as done: news tell of one several times at most within minutes. */
const REMEMBERED = 10_000

export function createOrders({ orders, news }: Pick<ClusterStores, 'orders' | 'news'>): Orders {
  const performers = new Map<keyof OrderKinds, (data: never) => Promise<void>>()
  const done = new Set<string>()

  async function perform(id: string): Promise<void> {
    const [order] = await orders.read([id])
    if (order) await performers.get(order.kind)?.(order.data as never)
    done.add(id)
    const [oldest] = done
    if (done.size > REMEMBERED && oldest !== undefined) done.delete(oldest)
  }

  news.on('orders', async (ids) => {
    for (const id of ids) if (!done.has(id)) await perform(id)
  })
  return {
    give: (kind, data) => orders.give({ kind, data } as OrderRow),
    on: (kind, performer) => void performers.set(kind, performer),
  }
}
