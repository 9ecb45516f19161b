import { applyClientAct } from '../chat/moderation/clients.ts'
import { createEnforcement } from '../chat/moderation/put-out.ts'
import type { RoomName } from '../chat/entry.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { Talk } from '../chat/talk/talk.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Work } from './activity.ts'
import { stopWork } from './assemble-moderation.ts'
import type { AppContext } from './context.ts'
import type { Mcp } from './mcp/admin.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'

export interface FollowingParts {
  readonly chat: RoomsAndPeople
  readonly talk: Talk
  readonly work: Work
  readonly mcp: Pick<Mcp, 'readAgain' | 'approvedElsewhere'>
  readonly context: Pick<AppContext, 'storage' | 'clock'>
}

/**
 * Reads again what other servers change and this one keeps in memory, and does what they broadcast. Resolves once all was read,
 * to a function that reads all of it again. Both reject with `StorageError`.
 */
export async function followChanges(cluster: Cluster, parts: FollowingParts): Promise<() => Promise<void>> {
  const { chat, talk, work, mcp, context } = parts
  const { people, preferences, rooms, invitations } = chat
  const { sanctions, clients } = chat.enforcement
  const { news, closings } = cluster
  const { chat: stores, prompts } = context.storage
  const enforcement = createEnforcement({ sanctions, clients, stores, clock: context.clock })
  const byId = (id: PersonId): Promise<Person | undefined> => stores.people.byId(id)

  async function readSanctions(): Promise<void> {
    await enforcement.sanctionsChanged()
    await work.turns.stopThoseOut()
    await work.runs.stopThoseOut()
  }

  async function readNames(ids: readonly PersonId[]): Promise<void> {
    await people.readAgain(ids)
    rooms.everywhere.namesChanged()
  }

  async function readPreferences(ids: readonly PersonId[]): Promise<void> {
    for (const id of ids) {
      const person = await byId(id)
      if (person) await preferences.readAgain(person)
    }
  }

  async function readKeys(ids: readonly PersonId[]): Promise<void> {
    if (!talk.ignores.isAnybodyIgnored()) return
    for (const id of ids) {
      const person = await byId(id)
      if (person) for (const key of await stores.people.keysOf(id)) talk.ignores.cameIn(person, key)
    }
  }

  async function roomsClosed(closed: ReadonlyMap<RoomName, string>): Promise<void> {
    const leaving = enforcement.closed(closed)
    await Promise.all(
      [...closed.keys()].map((room) => stopWork(work, { room, why: `${room} is being deleted` })),
    )
    await leaving
  }

  async function readAll(): Promise<void> {
    const registered = clients.people(({ guest }) => !guest).map(({ id }) => id)
    const here = [...new Set(registered)]
    await readSanctions()
    await closings.readAgain()
    await talk.away.readAgain()
    await readNames(here)
    await readPreferences(here)
    await talk.ignores.readAgain(here)
    for (const { name } of await stores.rooms.all()) prompts.scripts.forget(name)
    await mcp.readAgain()
  }

  closings.on(roomsClosed)
  news.on('sanctions', readSanctions)
  news.on('closings', () => closings.readAgain())
  news.on('people', readNames)
  news.on('keys', readKeys)
  news.on('preferences', readPreferences)
  news.on('away', () => talk.away.readAgain())
  news.on('ignored', (ids: readonly PersonId[]) => talk.ignores.readAgain(ids))
  news.on('room_scripts', async (names: readonly RoomName[]) => names.forEach(prompts.scripts.forget))
  news.on('mcp_servers', (names: readonly string[]) => mcp.readAgain(names))
  news.on('mcp_pins', (names: readonly string[]) => mcp.approvedElsewhere(names))
  // Not awaited: nothing that comes after it waits for its end.
  cluster.onBroadcast('clients', async (act) => void applyClientAct(act, clients))
  cluster.onBroadcast('message', (sent) => talk.messages.receive(sent))
  cluster.onBroadcast('guestAway', async ({ person, text }) => talk.away.guestAway(person, text))
  cluster.onBroadcast('invited', async ({ person: id }) => {
    const person = await byId(id)
    if (person && rooms.everywhere.isHere(person)) await invitations.tell(person)
  })
  await readAll()
  return readAll
}
