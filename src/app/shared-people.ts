import type { OtherServers } from '../chat/moderation/other-servers.ts'
import { createEnforcement } from '../chat/moderation/put-out.ts'
import { doHere } from '../chat/moderation/clients-everywhere.ts'
import type { StoppedWork } from '../chat/moderation/parts.ts'
import { StorageError } from '../chat/errors.ts'
import type { Log } from '../chat/ports.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { OrderKinds } from '../cluster/ports.ts'
import type { AppContext } from './context.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'

/** What acts of this server do on the others. */
export function otherServers({ orders, closings }: Cluster, log: Log): OtherServers {
  async function give<Kind extends keyof OrderKinds>(kind: Kind, data: OrderKinds[Kind]): Promise<void> {
    try {
      await orders.give(kind, data)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.error({ error, kind }, 'the other servers could not be told')
    }
  }
  return {
    clients: (act) => give('clients', act),
    stopWork: ({ names, ...work }) => give('stopWork', { ...work, ...(names && { names: [...names] }) }),
    close: (room, by) => closings.close(room, by),
    open: (room) => closings.open(room),
  }
}

/** What follows the other servers. */
export interface FollowingParts {
  readonly chat: RoomsAndPeople
  readonly stopWork: (work: StoppedWork) => Promise<void>
  readonly context: Pick<AppContext, 'storage' | 'clock'>
}

/**
 * From now on this server follows what others decide of people. Resolves once it knows what they decided before, to what reads that
 * again. Rejects with `StorageError`.
 */
export async function followOthers(
  { news, orders, closings }: Cluster,
  { chat, stopWork, context: { storage, clock } }: FollowingParts,
): Promise<() => Promise<void>> {
  const { sanctions, clients } = chat.order
  const enforcement = createEnforcement({ sanctions, clients, stores: storage.chat, clock })
  // Nothing that comes after them waits for their end.
  orders.on('clients', async (act) => void doHere(act, clients))
  orders.on(
    'stopWork',
    async ({ names, ...work }) => void stopWork({ ...work, ...(names && { names: new Set(names) }) }),
  )
  closings.on(async (rooms) => {
    const leaving = enforcement.closed(rooms)
    await Promise.all([...rooms.keys()].map((room) => stopWork({ room, why: `${room} is being deleted` })))
    await leaving
  })
  news.on('sanctions', () => enforcement.sanctionsChanged())
  news.on('closings', () => closings.readAgain())
  const readAgain = async (): Promise<void> => {
    await enforcement.sanctionsChanged()
    await closings.readAgain()
  }
  await readAgain()
  return readAgain
}
