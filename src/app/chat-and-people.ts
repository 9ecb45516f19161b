import { randomInt } from 'node:crypto'
import { createChat } from '../chat/chat.ts'
import { createLocalBus } from '../chat/local-bus.ts'
import { createPeople } from '../chat/people.ts'
import type { Config } from '../config/config.ts'
import type { AppContext } from './context.ts'

/** The rooms, and the people who may come into them. */
export async function createChatAndPeople(config: Config, { storage, clock, log, nextId }: AppContext) {
  const { rooms, people: store } = storage
  const parts = { entries: storage.log, rooms, people: store, bus: createLocalBus(log), clock, nextId, log }
  const chat = createChat(parts, {
    limits: config.limits,
    adminNames: config.sandbox.workspaces,
  })
  await chat.lobby()
  const claimCode = (await store.hasAdmin()) ? undefined : newClaimCode()
  const modelNames = config.models.map((model) => model.name)
  const { access, admins } = config.server
  return {
    chat,
    claimCode,
    people: createPeople({
      ...{ store, clock, nextId, access, admins, modelNames, claimCode },
      namesPerKey: config.limits.names_per_key,
    }),
  }
}

/** Letters and digits that cannot be confused with each other when they are read aloud. */
const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function newClaimCode(): string {
  const four = (): string =>
    Array.from({ length: 4 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
  return `${four()}-${four()}`
}
