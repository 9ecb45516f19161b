import { type Peers, type RoomBus, Rooms } from '../chat/index.ts'
import type { Storage } from '../storage/index.ts'
import { type Config, namedRooms } from './config/config.ts'
import { readKeyLine } from '../ssh/index.ts'
import { createInvitationNotices, Preferences } from '../chat/personal/index.ts'
import { Sanctions, Clients } from '../chat/moderation/index.ts'
import { People, Invites, Keys, Tokens, type Invite } from '../chat/people/index.ts'
import type { Person } from '../words/person.ts'
import type { Log } from '../base/environment.ts'
import { codes, newCode, tokenTexts } from './codes.ts'
import type { AppContext } from './context.ts'
import { observeBus } from '../visits/index.ts'
import type { CurrentConfig } from './current-config.ts'

export type RoomsAndPeople = Awaited<ReturnType<typeof createRoomsAndPeople>>

/** Creates rooms and people, and `tap`, which passes all recorded entries to other parts. */
export async function createRoomsAndPeople(
  current: CurrentConfig,
  context: AppContext,
  { peers, bus: shared }: { readonly peers: Peers; readonly bus: RoomBus },
) {
  const { storage, clock, log, nextId } = context
  const { chat: stores } = storage
  const { limits } = current
  const bus = observeBus(shared)
  const isConfigAdmin = (key: string): boolean => current.now().server.admins.includes(key)
  const sanctions = await Sanctions.load(stores.sanctions, clock, isConfigAdmin)
  const { entries, rooms: roomStore, people: store } = stores
  const parts = { entries, rooms: roomStore, people: store, bus, peers, clock, nextId, log, sanctions }
  const rooms = new Rooms(parts, limits, () => namedRooms(current.now()))
  await rooms.lobby()
  const invites = new Invites({
    store: stores.invites,
    codes,
    clock,
    log,
    maxOpen: () => limits.invites_per_person,
    isOut: (maker) => sanctions.whyOut(maker) !== undefined,
    onRedeemed: (invite, newcomer) => void tellRoom(rooms, invite, newcomer, log),
  })
  const claimCode = await claimCodeFor(current, storage)
  const policy = () => peoplePolicy(current.now())
  const people = new People({ stores, invites, sanctions, policy, claimCode, peers, clock, log, nextId })
  const maxKeys = () => limits.keys_per_person
  const keys = new Keys({ store: stores.keys, readLine: readKeyLine, clock, log, maxKeys })
  const tokens = new Tokens({
    store: stores.tokens,
    texts: tokenTexts,
    people,
    sanctions,
    clock,
    log,
    maxTokens: () => limits.bearer_tokens_per_person,
  })
  const clients = new Clients(peers)
  return {
    rooms,
    tap: bus.tap,
    claimCode,
    comingIn: { invites, keys, tokens, clients, policy: () => current.now().server },
    people,
    preferences: await Preferences.load(stores.preferences, log),
    invitations: createInvitationNotices({ store: stores.invitations, rooms, peers, clock, log }),
    enforcement: { sanctions, clients },
    peers,
  }
}

const peoplePolicy = ({ models, server, limits }: Config) => ({
  access: server.access,
  admins: server.admins,
  modelNames: models.map(({ name }) => name),
  namesPerKey: limits.names_per_key,
  keptNames: limits.kept_names_per_person,
  renamesPerDay: limits.renames_per_day,
})

/** Resolves to undefined if there is an admin. All servers of a database share the code. */
async function claimCodeFor(current: CurrentConfig, { chat, cluster }: Storage): Promise<string | undefined> {
  if (current.now().server.admins.length > 0 || (await chat.people.hasAdmin())) return undefined
  const code = newCode(2)
  return cluster ? await cluster.common.claimCode(code) : code
}

/** Tells an invite's room who came with the code, and whose code it was. */
async function tellRoom(rooms: Rooms, { by, room }: Invite, newcomer: Person, log: Log): Promise<void> {
  try {
    const told = room === null ? undefined : await rooms.anyRoom(room)
    const text = `${newcomer.name} came to the server with an invite code of ${by.name} for this room`
    await told?.record({ kind: 'notice', level: 'info', author: by.name, text })
  } catch (error) {
    log.error({ error, room }, 'could not announce in a room who registered with its code')
  }
}
