import { enforceDeletions, enforceSanctions } from '../chat/moderation/index.ts'
import type { RoomName } from '../words/entry.ts'
import type { PersonId } from '../words/person.ts'
import type { Talk } from '../chat/talk/index.ts'
import type { RoutineEngine } from '../turns/routines/index.ts'
import type { Cluster } from '../cluster/index.ts'
import type { Work } from '../visits/index.ts'
import { stopWork } from './assemble-moderation.ts'
import type { AppContext } from './context.ts'
import type { Mcp } from './mcp/admin.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'

export interface FollowingParts {
  readonly chat: RoomsAndPeople
  readonly talk: Talk
  readonly work: Work
  readonly mcp: Pick<Mcp, 'readAgain' | 'approvedElsewhere'>
  readonly routines: Pick<RoutineEngine, 'changed'>
  readonly context: Pick<AppContext, 'storage' | 'clock'>
}

type Keys<Key> = readonly Key[] | 'all'

/**
 * Refreshes data in memory when other servers change it, and handles their broadcasts. Resolves when all was
 * read once. Rejects with `StorageError`.
 */
export async function followChanges(cluster: Cluster, parts: FollowingParts): Promise<void> {
  const { chat, talk, work, mcp, routines, context } = parts
  const { people, preferences, rooms, invitations } = chat
  const { sanctions, clients } = chat.enforcement
  const { changes } = cluster
  const { chat: stores, prompts } = context.storage
  const registeredHere = (): readonly PersonId[] => [
    ...new Set(clients.people(({ guest }) => !guest).map(({ id }) => id)),
  ]
  const idsIn = (ids: Keys<PersonId>): readonly PersonId[] => (ids === 'all' ? registeredHere() : ids)

  async function readSanctions(): Promise<void> {
    await enforceSanctions({ sanctions, clients, clock: context.clock }, stores.rooms)
    await work.turns.stopForbidden()
    await work.runs.stopForbidden()
  }

  async function readNames(ids: Keys<PersonId>): Promise<void> {
    await people.readAgain(idsIn(ids))
    rooms.namesChanged()
  }

  async function readPreferences(ids: Keys<PersonId>): Promise<void> {
    for (const person of await stores.people.byIds(idsIn(ids))) await preferences.readAgain(person)
  }

  async function readKeys(ids: Keys<PersonId>): Promise<void> {
    if (!talk.ignores.isAnybodyIgnored()) return
    for (const person of await stores.people.byIds(idsIn(ids)))
      for (const key of await stores.people.keysOf(person.id)) talk.ignores.onLogin(person, key)
  }

  async function forgetScripts(names: Keys<RoomName>): Promise<void> {
    const changed = names === 'all' ? (await stores.rooms.all()).map(({ name }) => name) : names
    changed.forEach(prompts.scripts.forget)
  }

  async function readClosedRooms(): Promise<void> {
    const closed = await cluster.closedRooms()
    // Not awaited: nobody can enter now, and the server that closes a room waits for the people in it.
    void enforceDeletions(closed, { sanctions, clients })
    for (const [room, why] of closed) void stopWork(work, { room, why })
  }

  changes.on('sanctions', readSanctions)
  changes.on('rooms', readClosedRooms)
  changes.on('people', readNames)
  changes.on('keys', readKeys)
  changes.on('preferences', readPreferences)
  changes.on('away', () => talk.away.readAgain())
  changes.on('ignored', (ids: Keys<PersonId>) => talk.ignores.readAgain(idsIn(ids)))
  changes.on('room_scripts', forgetScripts)
  changes.on('routines', async () => routines.changed())
  changes.on('mcp_servers', (names: Keys<string>) => mcp.readAgain(names === 'all' ? undefined : names))
  changes.on('mcp_pins', async (names: Keys<string>) => {
    // Each listing of tools compares them with the pins.
    if (names !== 'all') await mcp.approvedElsewhere(names)
  })
  // Not awaited, because no caller depends on the result.
  cluster.onBroadcast('clients', async (act) => void clients.apply(act))
  cluster.onBroadcast('message', (sent) => talk.messages.receive(sent))
  cluster.onBroadcast('guestAway', async ({ person, text }) => talk.away.guestAway(person, text))
  cluster.onBroadcast('invited', async ({ person: id }) => {
    const person = await stores.people.byId(id)
    if (person && rooms.isHere(person)) await invitations.tell(person)
  })
  await changes.readAll()
}
