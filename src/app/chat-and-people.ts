import { randomInt } from 'node:crypto'
import { createChat } from '../chat/chat.ts'
import type { Entry } from '../chat/entry.ts'
import { createLocalBus } from '../chat/local-bus.ts'
import type { RoomBus } from '../chat/ports.ts'
import { createPeople } from '../chat/people.ts'
import type { AppContext } from './context.ts'
import type { CurrentConfig } from './current-config.ts'

/** The rooms, and the people who may come into them. `heard` is told all that is recorded; it must not throw. */
export async function createChatAndPeople(
  current: CurrentConfig,
  { storage, clock, log, nextId }: AppContext,
  heard: (entry: Entry) => void,
) {
  const { log: entries, rooms, people: store } = storage
  const parts = {
    entries,
    rooms,
    people: store,
    bus: overheard(createLocalBus(log), heard),
    clock,
    nextId,
    log,
  }
  const chat = createChat(parts, {
    limits: current.limits,
    adminNames: current.now().sandbox.workspaces,
  })
  await chat.lobby()
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
  return { chat, claimCode, people: createPeople({ store, clock, nextId, policy, claimCode }) }
}

/** The same bus; `heard` is told each entry, of whatever room, before those who listen in the room. It never throws. */
const overheard = (bus: RoomBus, heard: (entry: Entry) => void): RoomBus => ({
  ...bus,
  publish(room, event) {
    if (event.type === 'entry') heard(event.entry)
    bus.publish(room, event)
  },
})

/** Letters and digits that cannot be confused with each other when they are read aloud. */
const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function newClaimCode(): string {
  const four = (): string =>
    Array.from({ length: 4 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
  return `${four()}-${four()}`
}
