// Joins the verbs with what they act on: direct messages, speech, moderation, followed rooms. It decides
// nothing about a verb.
import { zoneOf } from '../base/zone.ts'
import { createRateLimiter, FollowedRooms, type FollowingParts, type Room, Talks } from '../chat/index.ts'
import { createLastSeen, InputHistory } from '../chat/personal/index.ts'
import { type LineReaders, Notices, Talk } from '../chat/talk/index.ts'
import { joinRoom, openTalk, Runner, Speech } from '../commands/index.ts'
import { createCommandGroups } from '../commands/verbs/index.ts'
import { KEY_HELP } from '../terminal/index.ts'
import type { Work } from '../visits/index.ts'
import type { Person } from '../words/person.ts'
import type { Activity } from './activity.ts'
import { assembleModeration } from './assemble-moderation.ts'
import { assembleRoutines } from './assemble-routines.ts'
import type { AppContext } from './context.ts'
import type { CurrentConfig } from './current-config.ts'
import { findGuideHelp } from './guide-place.ts'
import { pause } from './process-timers.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'
import { sendNotice } from './webhooks.ts'

export type Commands = Awaited<ReturnType<typeof createCommands>>

/** Creates the commands and their runner. Rejects with `StorageError`. */
export async function createCommands(
  current: CurrentConfig,
  chat: RoomsAndPeople,
  activity: Activity,
  context: AppContext,
) {
  const { clock, log, storage, nextId } = context
  const { work, bytes, approvals, hooks, mcp, keeping, memories, outgoing, workspaces } = activity
  const { rooms, preferences, enforcement, peers } = chat
  const { limits } = current
  const talk = await Talk.open({
    people: storage.chat.people,
    stores: storage.talk,
    readers: lineReaders(work),
    limits,
    peers,
    clock,
    nextId,
    log,
  })
  const notifyOrigins = () => current.now().notify.allow
  const send = (url: string, text: string): void => sendNotice(outgoing, url, text)
  const notices = new Notices({ talk, rooms, preferences, origins: notifyOrigins, send, clock, log })
  chat.tap(notices.onEntry)
  talk.messages.onSent = notices.onMessage
  talk.messages.onReminder = notices.onReminder
  const history = new InputHistory(storage.talk.typed, clock, log)
  const speech = new Speech(work.turns, limits, talk.away, talk.findPerson, approvals)
  const pace = createRateLimiter({ limits, clock, wait: pause, serversOf: peers.serversOf })
  const routines = assembleRoutines(current, chat, activity, context, { speech, talk, pace })
  hooks.speak = routines.speakForScript
  activity.remindWith({
    routines: routines.routines,
    zoneOf: async (person) => zoneOf((await preferences.of(person)).timezone ?? ''),
    clock,
  })
  chat.tap(routines.onEntry)
  const moderation = assembleModeration(chat, work, context, {
    dataDir: current.now().dataDir,
    roomsDir: current.now().sandbox.rooms_dir,
    admins: () => current.now().server.admins,
  })
  const talks = new Talks({ rooms, store: storage.chat.rooms, limits, onMade: () => routines.changed() })
  const lastSeen = createLastSeen(storage.chat.lastSeen, clock, log)
  const { ignores } = talk
  const isAnswerTo = isAnswerOf(work.turns)
  const followed = new FollowedRooms({ rooms, lastSeen, clock, log, ignores, preferences, isAnswerTo })
  const groups = createCommandGroups({
    ...chat,
    ...work,
    notifyOrigins,
    talks,
    lastSeen,
    followed,
    speech,
    talk,
    history,
    routines: routines.routines,
    moderation,
    keeping,
    memories,
    approvals,
    hooks,
    mcp,
    bytes,
    filesOf: (room) => workspaces.of(room),
    clock,
    keys: KEY_HELP,
    findHelp: findGuideHelp,
    stores: storage,
  })
  activity.describe(groups)
  const commands = groups.flatMap((group) => group.commands)
  const { sanctions } = enforcement
  const { upToDate } = peers
  const runner = new Runner({ commands, speech, rooms, pace, bytes, sanctions, upToDate, log })
  const joining = { moderation, followed, stores: storage }
  const join = createJoin({ ...joining, talks, turns: work.turns })
  return { talk, history, lastSeen, followed, routines, commands, pace, runner, join }
}

/** `place`: the name of a room, which is entered as `/join` does, or `@qwen` for a talk with this model. */
const createJoin =
  (services: Parameters<typeof joinRoom>[0] & Parameters<typeof openTalk>[0]) =>
  async (place: string, person: Person, goIn: (room: Room) => Promise<void>): Promise<void> => {
    if (!place.startsWith('@')) return await joinRoom(services, place, person, goIn)
    await goIn((await openTalk(services, place, { person })).room)
  }

/** True for the end of this person's turn: a reply, or an error. The turn itself runs for another moment. */
const isAnswerOf =
  (turns: Work['turns']): FollowingParts['isAnswerTo'] =>
  (entry, person) =>
    ((entry.kind === 'reply' && entry.outcome === 'done') ||
      (entry.kind === 'notice' && entry.level === 'error')) &&
    turns.running(entry.room).some(({ id, requesterId }) => id === entry.turn && requesterId === person)

/** Turns and summaries must not use a message that was edited after they read it. */
const lineReaders = ({ turns, summaries }: Work): LineReaders => ({
  answering: (room, entry) => turns.running(room).find(({ message }) => message === entry)?.model,
  forget: summaries.forget,
})
