import { randomInt } from 'node:crypto'
import { createInvitationNotices } from '../chat/invitations/invitation-notices.ts'
import { createRooms } from '../chat/rooms.ts'
import { loadSanctions } from '../chat/moderation/sanctions.ts'
import { createOpenClients } from '../chat/moderation/open-clients.ts'
import { createLocalBus } from '../chat/local-bus.ts'
import { createPeople } from '../chat/people/people.ts'
import type { AppContext } from './context.ts'
import { tapped } from './room/tapped-bus.ts'
import type { CurrentConfig } from './current-config.ts'

export type RoomsAndPeople = Awaited<ReturnType<typeof createRoomsAndPeople>>

/** The rooms, the people who may come into them, and a way to hear all that is recorded. */
export async function createRoomsAndPeople(
  current: CurrentConfig,
  { storage, clock, log, nextId }: AppContext,
) {
  const bus = tapped(createLocalBus(log))
  const { log: entries, rooms: roomStore, people: store } = storage.chat
  const isConfigAdmin = (key: string): boolean => current.now().server.admins.includes(key)
  const sanctions = await loadSanctions(storage.chat.sanctions, clock, isConfigAdmin)
  const parts = { entries, rooms: roomStore, people: store, bus, clock, nextId, log, sanctions }
  const rooms = createRooms(parts, {
    limits: current.limits,
    adminNames: current.now().sandbox.workspaces,
  })
  await rooms.lobby()
  const claimCode = (await store.hasAdmin()) ? undefined : newClaimCode()
  const policy = () => {
    const { models, server, limits } = current.now()
    return {
      access: server.access,
      admins: server.admins,
      modelNames: models.map(({ name }) => name),
      namesPerKey: limits.names_per_key,
    }
  }
  const people = createPeople({ store, clock, nextId, policy, claimCode, sanctions })
  const invitations = createInvitationNotices({
    store: storage.chat.invitations,
    rooms: rooms.everywhere,
    clock,
    log,
  })
  const order = { sanctions, clients: createOpenClients() }
  return { rooms, tap: bus.tap, claimCode, people, invitations, order }
}

/** Letters and digits that cannot be confused with each other when they are read aloud. */
const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function newClaimCode(): string {
  const four = (): string =>
    Array.from({ length: 4 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
  return `${four()}-${four()}`
}
