import { type Agents, createAgents, createServeMcp } from './agents.ts'
import type { AppContext } from './context.ts'
import type { RoomsAndPeople } from './rooms-and-people.ts'
import { createGreeting } from './room/greeting.ts'
import { createRoomBoards } from './room/board.ts'
import { createRecentEntries } from './room/recent-entries.ts'
import { createRoomStatus } from './room/status.ts'
import { createClientHandler } from './session-host.ts'
import { assembleModeration } from './assemble-moderation.ts'
import { createDoor } from './door.ts'
import type { Activity, Work } from './activity.ts'
import type { CurrentConfig } from './current-config.ts'
import { createRateLimiter } from '../chat/limits.ts'
import type { LineReaders } from '../chat/talk/own-lines.ts'
import { InputHistory } from '../chat/personal/input-history.ts'
import { createLastSeen } from '../chat/personal/last-seen.ts'
import { Talk } from '../chat/talk/talk.ts'
import { createCompletion } from '../commands/completion.ts'
import { createCommands } from '../commands/verbs/index.ts'
import { Runner } from '../commands/runner.ts'
import { Speech } from '../commands/speech.ts'
import { processTimers } from './process-timers.ts'
import { pause } from './pause.ts'
import type { ClientHandler } from '../session/ports.ts'
import { stopAll } from '../commands/verbs/ask.ts'
import { KEY_HELP } from '../session/input/keys.ts'
import type { LazyMarkdown } from '../session/markdown/highlight.ts'
import { createShared } from '../session/views/view.ts'

/** What a client meets: rooms, commands, completion, and what it is told; with the agents that come in the same way. */
export async function createHandler(
  current: CurrentConfig,
  chat: RoomsAndPeople,
  activity: Activity,
  context: AppContext,
  markdown: LazyMarkdown,
): Promise<{ readonly handler: ClientHandler; readonly agents: Agents; readonly talk: Talk }> {
  const { clock, log, storage, nextId } = context
  const { work, bytes } = activity
  const { turns } = work
  const { rooms, people, preferences, invitations, enforcement, peers } = chat
  const timers = processTimers()
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
  const history = new InputHistory(storage.talk.typed, clock, log)
  const speech = new Speech(turns, limits, talk.away, talk.findPerson)
  const moderation = assembleModeration(chat, work, context, {
    dataDir: current.now().dataDir,
    roomsDir: current.now().sandbox.rooms_dir,
    admins: () => current.now().server.admins,
  })
  const commands = createCommands({
    ...chat,
    ...work,
    ...{ speech, talk, history, moderation },
    approvals: activity.approvals,
    hooks: activity.hooks,
    mcp: activity.mcp,
    keys: KEY_HELP,
    clock,
    stores: storage,
  })
  const pace = createRateLimiter({ limits, clock, wait: pause, serversOf: peers.serversOf })
  const { sanctions, clients } = enforcement
  const { upToDate } = peers
  const door = createDoor(
    people,
    sanctions,
    clients,
    (person, key) => talk.ignores.onLogin(person, key),
    peers.serversOf,
  )
  const runner = new Runner({ commands, speech, rooms, pace, bytes, sanctions, upToDate, log })
  const agents = createAgents({ runner, rooms, door, talk, log })
  const handler = createClientHandler({
    door,
    rooms,
    views: {
      boards: createRoomBoards(
        createRoomStatus(work, activity.approvals, storage.models.turns, clock),
        timers.now,
        {
          tools: markdown.tools,
          wallNow: () => clock.now(),
        },
      ),
      recent: createRecentEntries(),
      lastSeen: createLastSeen(storage.chat.lastSeen, log),
    },
    input: {
      runner,
      complete: createCompletion(commands, turns),
      history,
      serveMcp: createServeMcp(agents, log),
      stop: (room, person) => stopAll(work, room, person),
    },
    told: {
      openTalk: talk.openSession,
      invitations,
      greeting: createGreeting({
        models: () => current.now().models,
        isClaimable: () => people.isClaimable(),
        troubles: peers.problems,
      }),
    },
    shared: createShared(timers, { markdown, clock, log }, (name) => preferences.colourOf(name)),
    preferences,
    settings: {
      motd: () => current.now().server.motd,
      stdin: () => ({ bytes: limits.paste_bytes, stallMs: limits.stall_s * 1_000 }),
    },
  })
  const shell: ClientHandler['shell'] = (person, terminal, account) => {
    // Whoever sits at a terminal asks sooner or later, and then does not wait for what answers.
    if (terminal.size()) activity.warmComposer()
    return handler.shell(person, terminal, account)
  }
  return { handler: { ...handler, shell }, agents, talk }
}

/** Those who read what people said, and must not read it again once it was changed. */
const lineReaders = ({ turns, summaries }: Pick<Work, 'turns' | 'summaries'>): LineReaders => ({
  answering: (room, entry) => turns.running(room).find(({ message }) => message === entry)?.model,
  forget: summaries.forget,
})
