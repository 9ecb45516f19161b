// Joins people and agents who log in with the rooms and commands. It decides nothing about a visit.
import { pinRows } from '../words/entry-text.ts'
import type { RoomName } from '../words/entry.ts'
import { createCompletion, createSummaryOf, stopOwn } from '../commands/index.ts'
import { type ClientHandler, createShared, type LazyMarkdown } from '../terminal/index.ts'
import {
  createClientHandler,
  createDoor,
  createFileServing,
  createGreeting,
  listeningLine,
  createRecentEntries,
  createRoomBoards,
  createRoomStatus,
} from '../visits/index.ts'
import type { Person } from '../words/person.ts'
import type { Activity } from './activity.ts'
import { type Agents, createAgents, createServeMcp } from './agents.ts'
import type { Commands } from './commands.ts'
import type { AppContext } from './context.ts'
import type { CurrentConfig } from './current-config.ts'
import { processTimers } from './process-timers.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'

interface VisitsParts {
  readonly context: Pick<AppContext, 'storage' | 'clock' | 'log'>
  readonly chat: RoomsAndPeople
  readonly activity: Activity
  readonly commands: Commands
  readonly markdown: LazyMarkdown
}

/** Creates the handler of connections, and the agents. */
export function createVisits(
  current: CurrentConfig,
  { context, chat, activity, commands, markdown }: VisitsParts,
): { readonly handler: ClientHandler; readonly agents: Agents } {
  const { clock, log, storage } = context
  const { work, bytes, workspaces, approvals, composer } = activity
  const { rooms, people, preferences, invitations, enforcement, peers } = chat
  const { sanctions, clients } = enforcement
  const { talk, history, lastSeen, followed, routines, pace, runner, join } = commands
  const { limits } = current
  const { upToDate } = peers
  const door = createDoor(people, sanctions, clients, talk.ignores, peers.serversOf, routines.onLogin)
  const agents = createAgents({ runner, rooms, door, talk, log })
  const status = createRoomStatus(work, approvals, storage.models.turns, routines, clock)
  const wallNow = () => clock.now()
  const boards = createRoomBoards(status, processTimers.now, {
    tools: markdown.tools,
    wallNow,
    modelStyle: preferences.modelStyle,
  })
  const filesOf = (room: string, { name, id }: Person) => workspaces.of(room).filesBy({ name, person: id })
  const talkIn = async (room: RoomName) => {
    const { talk: model, owner = null } = (await storage.chat.rooms.find(room)) ?? {}
    const person = model === undefined || owner === null ? undefined : await storage.chat.people.byId(owner)
    return model === undefined || !person ? undefined : { model, person: person.name }
  }
  const listening = async (room: RoomName): Promise<string> => {
    const [{ listeners }, talk] = await Promise.all([
      routines.routines.shown(room, []).catch(() => ({ listeners: [] })),
      talkIn(room).catch(() => undefined),
    ])
    const personas = listeners.length > 0 ? await work.turns.personas.list(room).catch(() => []) : []
    return listeningLine(listeners, current.now().models, { personas, talk })
  }
  const pins = async (room: RoomName): Promise<readonly string[]> =>
    pinRows(await rooms.pins.list(room).catch(() => []))
  const handler = createClientHandler({
    door,
    rooms,
    runner,
    history,
    invitations,
    preferences,
    join,
    views: { boards, recent: createRecentEntries(), lastSeen, followed, listening, pins },
    shared: createShared(processTimers, { markdown, clock, log }, preferences),
    complete: createCompletion(commands.commands, work.turns),
    summaryOf: createSummaryOf(commands.commands),
    serveMcp: createServeMcp(agents, log),
    files: createFileServing(door, { rooms, pace, bytes, upToDate, log, filesOf }),
    openTalk: talk.openSession,
    greeting: createGreeting({
      models: () => current.now().models,
      isClaimable: () => people.isClaimable(),
      troubles: peers.problems,
    }),
    stop: (room, person) => stopOwn(work, room, person),
    onTyped: routines.typed,
    warmComposer: () => composer.warmUp(),
    motd: () => current.now().server.motd,
    stdin: () => ({ bytes: limits.paste_bytes, stallMs: limits.stall_s * 1_000 }),
  })
  return { handler, agents }
}
