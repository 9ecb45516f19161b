import { type Agents, createAgents, createServeMcp } from './agents.ts'
import type { AppContext } from './context.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'
import {
  createGreeting,
  createRoomBoards,
  createFileServing,
  createRecentEntries,
  createRoomStatus,
  createClientHandler,
  type RoomViews,
  createDoor,
  type Work,
} from '../visits/index.ts'
import { assembleModeration } from './assemble-moderation.ts'
import { sendNotice } from './webhooks.ts'
import { createPostLine, type PostLine } from './post-line.ts'
import { pause, processTimers } from './process-timers.ts'
import type { Activity } from './activity.ts'
import type { CurrentConfig } from './current-config.ts'
import { createRateLimiter, FollowedRooms, type FollowingParts } from '../chat/index.ts'
import { type LineReaders, Notices, Talk } from '../chat/talk/index.ts'
import { InputHistory, createLastSeen } from '../chat/personal/index.ts'
import { createCompletion, Runner, Speech, stopOwn, joinRoom } from '../commands/index.ts'
import { createCommandGroups } from '../commands/verbs/index.ts'
import { type ClientHandler, KEY_HELP, type LazyMarkdown, createShared } from '../terminal/index.ts'

/** Creates the handler of connections, and what it serves: rooms, commands, direct messages. */
export async function createHandler(
  current: CurrentConfig,
  chat: RoomsAndPeople,
  activity: Activity,
  context: AppContext,
  markdown: LazyMarkdown,
): Promise<{
  readonly handler: ClientHandler
  readonly agents: Agents
  readonly talk: Talk
  readonly postLine: PostLine
}> {
  const { clock, log, storage, nextId } = context
  const { work, bytes, workspaces, approvals, hooks, mcp, keeping } = activity
  const { rooms, people, preferences, invitations, enforcement, peers } = chat
  const { sanctions, clients } = enforcement
  const { limits } = current
  const talk = await Talk.open({
    people: storage.chat.people,
    stores: storage.talk,
    readers: lineReaders(work),
    ...{ limits, peers, clock, nextId, log },
  })
  const notifyOrigins = () => current.now().notify.allow
  const send = (url: string, text: string): void => sendNotice(activity.outgoing, url, text)
  const notices = new Notices({ talk, rooms, preferences, origins: notifyOrigins, send, clock, log })
  chat.tap(notices.onEntry)
  talk.messages.onSent = notices.onMessage
  const history = new InputHistory(storage.talk.typed, clock, log)
  const speech = new Speech(work.turns, limits, talk.away, talk.findPerson, approvals)
  const moderation = assembleModeration(chat, work, context, {
    dataDir: current.now().dataDir,
    roomsDir: current.now().sandbox.rooms_dir,
    admins: () => current.now().server.admins,
  })
  const lastSeen = createLastSeen(storage.chat.lastSeen, clock, log)
  const followed = new FollowedRooms({
    ...{ rooms, lastSeen, clock, log, ignores: talk.ignores, isAnswerTo: isAnswerTo(work.turns) },
  })
  const joining = { moderation, followed, stores: storage }
  const groups = createCommandGroups({
    ...chat,
    ...work,
    ...{ notifyOrigins, followed, speech, talk, history, moderation, keeping, approvals, hooks, mcp, clock },
    keys: KEY_HELP,
    stores: storage,
  })
  activity.describe(groups)
  const commands = groups.flatMap((group) => group.commands)
  const pace = createRateLimiter({ limits, clock, wait: pause, serversOf: peers.serversOf })
  const door = createDoor(people, sanctions, clients, talk.ignores, peers.serversOf)
  const { upToDate } = peers
  const runner = new Runner({ commands, speech, rooms, pace, bytes, sanctions, upToDate, log })
  const filesOf = (room: string) => workspaces.of(room).files
  const agents = createAgents({ runner, rooms, door, talk, log })
  const handler = createClientHandler({
    ...{ door, rooms, runner, history, invitations, preferences },
    views: { ...createViews(work, approvals, context, markdown), lastSeen, followed },
    join: (name, person, goIn) => joinRoom(joining, name, person, goIn),
    shared: createShared(processTimers, { markdown, clock, log }, (name) => preferences.colourOf(name)),
    complete: createCompletion(commands, work.turns),
    serveMcp: createServeMcp(agents, log),
    files: createFileServing(door, { rooms, pace, bytes, upToDate, log, filesOf }),
    openTalk: talk.openSession,
    greeting: createGreeting({
      models: () => current.now().models,
      isClaimable: () => people.isClaimable(),
      troubles: peers.problems,
    }),
    stop: (room, person) => stopOwn(work, room, person),
    warmComposer: activity.warmComposer,
    motd: () => current.now().server.motd,
    stdin: () => ({ bytes: limits.paste_bytes, stallMs: limits.stall_s * 1_000 }),
  })
  return { handler, agents, talk, postLine: createPostLine(runner, rooms) }
}

function createViews(
  work: Work,
  approvals: Activity['approvals'],
  { storage, clock }: AppContext,
  { tools }: LazyMarkdown,
): Omit<RoomViews, 'lastSeen' | 'followed'> {
  const status = createRoomStatus(work, approvals, storage.models.turns, clock)
  return {
    boards: createRoomBoards(status, processTimers.now, { tools, wallNow: () => clock.now() }),
    recent: createRecentEntries(),
  }
}

/** True for the end of this person's turn: a reply, or an error. The turn itself runs for another moment. */
const isAnswerTo =
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
