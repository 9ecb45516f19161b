import type { RoomName } from '../entry.ts'
import type { Person } from '../people/person.ts'
import type { Concerns, OpenClients } from './open-clients.ts'
import type { ClientAct, OtherServers, Whom } from './other-servers.ts'

/** The clients of some people, on whichever server of the database. No method rejects. */
export interface ClientsEverywhere {
  tell(whom: Whom, text: string): void
  end(whom: Whom, why: string): void
  /** Resolves when all of them on this server are out of the room; the others soon are. */
  leave(room: RoomName, whom: Whom, why: string): Promise<void>
}

export function createClientsEverywhere(
  clients: OpenClients,
  others: Pick<OtherServers, 'clients'>,
): ClientsEverywhere {
  async function everywhere(act: ClientAct): Promise<void> {
    void others.clients(act)
    await doHere(act, clients)
  }
  return {
    tell: (whom, text) => void everywhere({ act: 'tell', whom, text }),
    end: (whom, text) => void everywhere({ act: 'end', whom, text }),
    leave: (room, whom, text) => everywhere({ act: 'leave', room, whom, text }),
  }
}

/** Does it to the clients of this server. */
export async function doHere(done: ClientAct, clients: OpenClients): Promise<void> {
  const concerns = concernsOf(done.whom)
  if (done.act === 'leave') await clients.leave(done.room, concerns, done.text)
  else if (done.act === 'tell') clients.tell(concerns, done.text)
  else clients.end(concerns, done.text)
}

function concernsOf(whom: Whom): Concerns {
  if ('token' in whom) return ({ login }) => login?.token?.id === whom.token
  if ('person' in whom) return ({ id, login }) => id === whom.person && login?.key === whom.key
  const [people, keys] = [new Set(whom.people), new Set(whom.keys)]
  return ({ id, login }: Person) => people.has(id) || (login !== undefined && keys.has(login.key))
}
