import type { RateLimiter } from '../chat/index.ts'
import type { Talk } from '../chat/talk/index.ts'
import type { Speech } from '../commands/index.ts'
import { RoutineEngine } from '../turns/routines/index.ts'
import type { Activity } from './activity.ts'
import { isOpenToStrangers } from './config/config.ts'
import type { AppContext } from './context.ts'
import type { CurrentConfig } from './current-config.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'

/** Joins what runs by itself with rooms, people and turns. It runs nothing until `start`. */
export function assembleRoutines(
  current: CurrentConfig,
  chat: RoomsAndPeople,
  { work, bytes, approvals, checkQuotas }: Pick<Activity, 'work' | 'bytes' | 'approvals' | 'checkQuotas'>,
  { storage, clock, log, nextId, meter }: AppContext,
  { speech, talk, pace }: { readonly speech: Speech; readonly talk: Talk; readonly pace: RateLimiter },
): RoutineEngine {
  const { turns } = work
  const { people } = storage.chat
  return new RoutineEngine({
    people,
    clock,
    log,
    nextId,
    checkQuotas,
    pace,
    limits: current.limits,
    store: storage.models.routines,
    turns: storage.models.turns,
    tokens: storage.chat.tokens,
    members: (room) => storage.chat.rooms.members(room),
    rooms: chat.rooms,
    sanctions: chat.enforcement.sanctions,
    server: storage.cluster?.server ?? 'this server',
    isConfigAdmin: (key) => current.now().server.admins.includes(key),
    models: (room) => turns.personas.namesIn(room),
    policy: () => {
      const { routines, server, listen } = current.now()
      const { enabled, allow } = routines
      return { enabled, allow, isOpen: isOpenToStrangers(server.access, listen) }
    },
    running: (room) => turns.running(room),
    takeBytes: bytes.take,
    say: async (room, person, text, routine) => [
      ...(await speech.say(room, person, text, { routine })).turns.values(),
    ],
    ask: (mention) => turns.start(mention),
    async ring(id, text) {
      const person = await people.byId(id)
      if (person) await talk.messages.remind(person, text)
    },
    endGrants: (id) => approvals.endRoutine(id),
    count: (outcome) => meter?.routineRan(outcome),
  })
}
