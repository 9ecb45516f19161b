/**
 * The agents of people: what one is, whatever carries it. An agent runs commands as its person, is present in the rooms that
 * it joins, and is put out of them as a session is. This folder must not know MCP; who serves it does.
 */
import type { Agent, AgentListener } from '../../adapters/mcp/server/agent.ts'
import { SERVER_STOPPING, StorageError } from '../../chat/errors.ts'
import type { ServersOfPayers } from '../../chat/limits/on-servers.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Rooms } from '../../chat/rooms.ts'
import type { Hearing } from '../../chat/talk/ignores.ts'
import type { Talk } from '../../chat/talk/talk.ts'
import type { Runner } from '../../commands/runner.ts'
import { createDeferred } from '../../lib/deferred.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'
import { settledWithin } from '../../lib/jobs/settled-within.ts'
import { aborted } from '../../lib/when-aborted.ts'
import type { Door } from '../door.ts'
import { readMessages } from './agent-messages.ts'
import { createAgentRooms } from './agent-rooms.ts'
import { runVerb } from './run-verb.ts'

/** Opens agents. */
export interface Agents {
  /**
   * An agent of a person who was let in. What it makes the server do is charged to `account`. It ends with `signal`, and when
   * the person is put out of the server.
   */
  open(person: Person, how: { readonly signal: AbortSignal; readonly account: Account }): Promise<OpenAgent>
  /** Resolves when none is open, or the signal is aborted. Never rejects. */
  allClosed(signal: AbortSignal): Promise<void>
  /** Stops what they wait for, since the server stops; resolves once they have that as their answers, or after a second. Never rejects. */
  stop(): Promise<void>
}

/** An agent, and its end. */
export interface OpenAgent extends Agent {
  /** Why the person was put out of the server, where that ended it. */
  whyOver(): string | undefined
  /** It leaves all rooms. */
  close(): Promise<void>
}

/** What agents are made from. */
export interface AgentParts {
  readonly runner: Pick<Runner, 'use'>
  readonly rooms: Pick<Rooms, 'get'>
  readonly door: Pick<Door, 'begin' | 'whyOut'>
  readonly talk: Pick<Talk, 'ignores' | 'openSession'>
  /** Who is on which servers; absent for a server that is alone. */
  readonly onServers?: Pick<ServersOfPayers, 'begin'> | undefined
  readonly log: Log
}

/** How long an agent may take to be told that its call was stopped, in milliseconds. */
const ANSWERING_MS = 1_000

export function createAgents(parts: AgentParts): Agents {
  /** Those that are open: what ends their calls, and their own end. */
  const open = new Map<AbortController, Promise<void>>()
  return {
    async allClosed(signal) {
      await Promise.race([Promise.all(open.values()), aborted(signal)])
    },
    async stop() {
      for (const calls of open.keys()) calls.abort(SERVER_STOPPING)
      await settledWithin(ANSWERING_MS, open.values())
    },
    async open(person, { signal: gone, account }) {
      const hearing = await hearingOf(person, parts)
      const over = new AbortController()
      const signal = AbortSignal.any([gone, over.signal])
      const rooms = createAgentRooms(person, parts.rooms, hearing.hears)
      let why: string | undefined
      let listener: AgentListener | undefined
      const end = (reason: string): void => {
        why ??= reason
        over.abort(new DOMException('the person was put out', 'AbortError'))
      }
      const forget = parts.door.begin({ person, end, leave: rooms.putOut })
      // One that came over SSH is on a connection that counts already.
      const uncount = person.login?.token && parts.onServers?.begin(person)
      const out = parts.door.whyOut(person)
      if (out !== undefined) end(out)
      const calls = new AbortController()
      const closed = createDeferred<void>()
      open.set(calls, closed.promise)
      const run: Agent['run'] = (use, how) =>
        runVerb(use, parts.runner, {
          person,
          agent: rooms,
          account,
          onLine: how.onLine,
          signal: AbortSignal.any([calls.signal, signal, how.signal]),
        })
      return {
        signal,
        name: () => person.name,
        whyOver: () => why,
        listen(heard) {
          listener = heard
          rooms.listen(heard)
        },
        readMessages() {
          const ended = new AbortController()
          const { log, talk } = parts
          const reader = { person, openTalk: talk.openSession, log, listener: () => listener }
          readMessages(reader, AbortSignal.any([signal, ended.signal]))
          return () => ended.abort()
        },
        run,
        // As whoever may read its topic, at the pace of commands.
        follow: (name) =>
          rooms.follow(name, async () => {
            const { ok, told } = await run({ verb: 'topic', room: name, flags: { json: true } }, { signal })
            return ok ? undefined : told
          }),
        unfollow: rooms.unfollow,
        sees: rooms.sees,
        async close() {
          forget()
          uncount?.()
          over.abort(new DOMException('the agent was closed', 'AbortError'))
          try {
            await rooms.leaveAll()
          } finally {
            hearing.close()
            open.delete(calls)
            closed.resolve()
          }
        },
      }
    },
  }
}

/** Whom somebody ignores keeps no agent out, where it cannot be read. */
async function hearingOf(
  person: Person,
  { talk, log }: AgentParts,
): Promise<Pick<Hearing, 'hears' | 'close'>> {
  try {
    return await talk.ignores.open(person)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.warn({ error, reason: error.reason }, 'an agent hears whom its person ignores')
    return { hears: () => true, close() {} }
  }
}
