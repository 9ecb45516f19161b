import { StorageError } from '../../chat/errors.ts'
import type { OtherServers } from '../../chat/moderation/other-servers.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { TalkElsewhere } from '../../chat/talk/other-servers.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import type { OrderKinds } from '../../cluster/ports.ts'

/** What is done on the other servers for people. What they could not be told is in the log. */
export function peopleElsewhere(
  {
    orders,
    news,
    people: { closings },
    rooms: { elsewhere },
  }: Pick<Cluster, 'orders' | 'news' | 'people' | 'rooms'>,
  log: Log,
): { others: OtherServers; talk: TalkElsewhere; tellInvited: (person: Person) => Promise<void> } {
  async function give<Kind extends keyof OrderKinds>(kind: Kind, data: OrderKinds[Kind]): Promise<void> {
    try {
      await orders.give(kind, data)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.error({ error, kind }, 'the other servers could not be told')
    }
  }
  return {
    others: {
      clients: (act) => give('clients', act),
      close: (room, by) => closings.close(room, by),
      open: (room) => closings.open(room),
      caughtUp: () => news.caughtUp(),
    },
    talk: {
      find: (person) => elsewhere.find(person),
      guestCalled: (name) => elsewhere.guestCalled(name),
      message: (told) => give('message', told),
      guestAway: (person, text) => give('guestAway', { person, text }),
    },
    tellInvited: ({ id }) => give('invited', { person: id }),
  }
}
