import type { Peers } from '../chat/peers.ts'
import type { Log, RoomBus } from '../chat/ports.ts'
import type { Storage } from '../adapters/storage/storage.ts'
import { readKeyLine } from '../adapters/ssh/keys/public-key.ts'
import { createInvitationNotices } from '../chat/personal/invitations.ts'
import { Rooms } from '../chat/rooms.ts'
import { Sanctions } from '../chat/moderation/sanctions.ts'
import { Clients } from '../chat/moderation/clients.ts'
import { People } from '../chat/people/people.ts'
import { Invites, Keys, Tokens } from '../chat/people/credentials.ts'
import { Preferences } from '../chat/personal/preferences.ts'
import type { Invite } from '../chat/people/ports.ts'
import type { Person } from '../chat/people/person.ts'
import { codes, newCode, tokenTexts } from './codes.ts'
import type { AppContext } from './context.ts'
import { tapped } from './room/tapped-bus.ts'
import type { CurrentConfig } from './current-config.ts'

export type RoomsAndPeople = Awaited<ReturnType<typeof createRoomsAndPeople>>

/** The rooms, the people who may come into them, and a way to hear all that is recorded. */
export async function createRoomsAndPeople(
  current: CurrentConfig,
  { storage, clock, log, nextId }: AppContext,
  { peers, bus: shared }: { readonly peers: Peers; readonly bus: RoomBus },
) {
  const bus = tapped(shared)
  const { entries, rooms: roomStore, people: store } = storage.chat
  const isConfigAdmin = (key: string): boolean => current.now().server.admins.includes(key)
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock, isConfigAdmin)
  const parts = { entries, rooms: roomStore, people: store, bus, peers, clock, nextId, log, sanctions }
  const rooms = new Rooms(parts, current.limits, current.now().sandbox.workspaces)
  await rooms.lobby()
  const policy = () => {
    const { models, server, limits } = current.now()
    return {
      access: server.access,
      admins: server.admins,
      modelNames: models.map(({ name }) => name),
      namesPerKey: limits.names_per_key,
      keptNames: limits.kept_names_per_person,
      renamesPerDay: limits.renames_per_day,
    }
  }
  const invites = new Invites({
    store: storage.chat.invites,
    codes,
    clock,
    log,
    maxOpen: () => current.limits.invites_per_person,
    isOut: (maker) => sanctions.whyOut(maker) !== undefined,
    onRedeemed: (invite, newcomer) => void tellRoom(rooms, invite, newcomer, log),
  })
  const hasAdmin = current.now().server.admins.length > 0 || (await store.hasAdmin())
  const claimCode = hasAdmin ? undefined : await claimCodeOf(storage)
  const people = new People({
    ...{ stores: storage.chat, invites, sanctions, policy, claimCode, peers, clock, log, nextId },
  })
  const keys = new Keys({
    store: storage.chat.keys,
    readLine: readKeyLine,
    clock,
    log,
    maxKeys: () => current.limits.keys_per_person,
  })
  const tokens = new Tokens({
    store: storage.chat.tokens,
    texts: tokenTexts,
    people,
    sanctions,
    clock,
    log,
    maxTokens: () => current.limits.bearer_tokens_per_person,
  })
  const invitePolicy = () => {
    const { server } = current.now()
    return { access: server.access, invites: server.invites }
  }
  const clients = new Clients(peers)
  const comingIn = { invites, keys, tokens, clients, policy: invitePolicy }
  const enforcement = { sanctions, clients }
  const invitations = createInvitationNotices({
    store: storage.chat.invitations,
    rooms,
    peers,
    clock,
    log,
  })
  const preferences = await Preferences.load(storage.chat.preferences, log)
  return {
    rooms,
    tap: bus.tap,
    claimCode,
    comingIn,
    people,
    preferences,
    invitations,
    enforcement,
    peers,
  }
}

/** One for all servers that have the database, whichever of them is reached with it. */
async function claimCodeOf({ cluster }: Pick<Storage, 'cluster'>): Promise<string> {
  const code = newCode(2)
  return cluster ? await cluster.common.claimCode(code) : code
}

/** The people of a room see who came to it with a code, and whose code that was. */
async function tellRoom(rooms: Rooms, { by, room }: Invite, newcomer: Person, log: Log): Promise<void> {
  try {
    const told = room === null ? undefined : await rooms.anyRoom(room)
    const text = `${newcomer.name} came to the server with an invite code of ${by.name} for this room`
    await told?.record({ kind: 'notice', level: 'info', author: by.name, text })
  } catch (error) {
    log.error({ error, room }, 'a room was not told who came with a code')
  }
}
