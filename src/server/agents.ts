/**
 * The agents of people. An agent runs commands as its person, is present in rooms that it joins, and is
 * kicked as a session is. This file knows MCP only to serve an agent on a pipe.
 */
import type { Agent, ClosableAgent, VerbOutcome, VerbRun, VerbUse } from '../mcp/server/index.ts'
import { SERVER_STOPPING } from '../words/errors.ts'
import type { Person } from '../words/person.ts'
import type { Rooms } from '../chat/index.ts'
import type { Talk } from '../chat/talk/index.ts'
import type { Runner } from '../commands/index.ts'
import type { Log } from '../base/environment.ts'
import { createDeferred, settledWithin, aborted, whenAborted } from '../base/jobs/waiting.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import { plainOf } from '../base/text/styled.ts'
import { AgentRooms, type Door, pageTurn, type ServeMcp } from '../visits/index.ts'
import { version } from '../base/paths.ts'

interface AgentParts {
  readonly runner: Pick<Runner, 'use'>
  readonly rooms: Pick<Rooms, 'get'>
  readonly door: Pick<Door, 'begin' | 'whyOut'>
  readonly talk: Pick<Talk, 'ignores' | 'openSession'>
  readonly log: Log
}

/** Time in ms for agents to be told that their calls were stopped. */
const ANSWERING_MS = 1_000

export type Agents = ReturnType<typeof createAgents>

export function createAgents(parts: AgentParts) {
  const { runner, door } = parts
  const open = new Map<AbortController, Promise<void>>()
  return {
    /** Resolves when no agent is open, or the signal is aborted. Never rejects. */
    async allClosed(signal: AbortSignal): Promise<void> {
      await Promise.race([Promise.all(open.values()), aborted(signal)])
    },

    /** Aborts all calls. Resolves when they are answered, or after 1 s. Never rejects. */
    async stop(): Promise<void> {
      for (const calls of open.keys()) calls.abort(SERVER_STOPPING)
      await settledWithin(ANSWERING_MS, open.values())
    },

    /**
     * Opens an agent of a person who has access. Its work is charged to `account`. The agent ends with the
     * signal, or when the person is removed from the server. Rejects with `StorageError`.
     */
    async open(
      person: Person,
      { signal: gone, account }: { readonly signal: AbortSignal; readonly account: Account },
    ): Promise<ClosableAgent> {
      const hearing = await parts.talk.ignores.open(person)
      const over = new AbortController()
      const signal = AbortSignal.any([gone, over.signal])
      const rooms = new AgentRooms(person, parts.rooms, hearing.shows)
      const end = (why: string): void => over.abort(new DOMException(why, 'AbortError'))
      const forget = door.begin({ person, end, leave: (name, reason) => rooms.putOut(name, reason) })
      const out = door.whyOut(person)
      if (out !== undefined) end(out)
      const calls = new AbortController()
      const closed = createDeferred<void>()
      open.set(calls, closed.promise)
      const run: Agent['run'] = (use, how) => {
        const ends = AbortSignal.any([calls.signal, signal, how.signal])
        return runVerb(use, runner, rooms, account, { ...how, signal: ends })
      }
      return {
        signal,
        name: () => person.name,
        listen: (listener) => void (rooms.listener = listener),
        readMessages() {
          const ended = new AbortController()
          void readMessages(rooms, parts, AbortSignal.any([signal, ended.signal]))
          return () => ended.abort()
        },
        run,
        // An agent may follow a room if `/topic` succeeds there, at the pace of commands.
        follow: (name) =>
          rooms.follow(name, async () => {
            const { ok, told } = await run({ verb: 'topic', room: name, flags: { json: true } }, { signal })
            return ok ? undefined : told
          }),
        unfollow: (name) => rooms.unfollow(name),
        sees: (name) => rooms.sees(name),
        async close() {
          forget()
          end('the agent was closed')
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

/**
 * Passes direct messages to the agent until the signal is aborted; none for a token limited to rooms. Never
 * rejects.
 */
async function readMessages(
  agent: AgentRooms,
  { talk: { openSession }, log }: AgentParts,
  signal: AbortSignal,
): Promise<void> {
  const { person } = agent
  if (person.login?.token?.rooms) return
  const warn = (why: object): void =>
    log.warn({ person: person.name, ...why }, 'could not show the private messages that wait for an agent')
  try {
    const talk = await openSession({
      person,
      print: (text) => warn({ text }),
      message: (message, onRead) => agent.listener?.written(message, onRead),
      bell() {},
    })
    whenAborted(signal, talk.close)
    if (!signal.aborted) await talk.showWaiting()
  } catch (error) {
    warn({ error })
  }
}

/** Limit of one command's output, which is in memory as a whole. */
const MAX_OUTPUT = 1_048_576

const TOO_LONG = `the answer is longer than ${MAX_OUTPUT} characters; ask for less`

const COLUMNS = 80

/** Runs a command. Never rejects. */
async function runVerb(
  { input, ...use }: VerbUse,
  runner: Pick<Runner, 'use'>,
  agent: AgentRooms,
  account: Account,
  { onLine, signal }: VerbRun,
): Promise<VerbOutcome> {
  const printed: string[] = []
  const told: string[] = []
  const tooLong = new AbortController()
  const afterwards: (() => void)[] = []
  let size = 0
  const write = (text: string): void => {
    size += text.length
    if (size > MAX_OUTPUT) tooLong.abort(new DOMException(TOO_LONG, 'AbortError'))
    else printed.push(text)
  }
  const status = await runner.use(use, {
    person: agent.person,
    out: {
      write,
      line(text) {
        const line = plainOf(text)
        write(`${line}\n`)
        onLine?.(line)
      },
      warn: (text) => void told.push(text),
      columns: COLUMNS,
      ready: () => pageTurn(account),
    },
    signal: AbortSignal.any([signal, tooLong.signal]),
    script: { stdin: async () => input ?? '', afterwards: (work) => afterwards.push(work), agent },
  })
  for (const work of afterwards) work()
  if (tooLong.signal.aborted) return { ok: false, out: '', told: TOO_LONG }
  return { ok: status === 0, out: printed.join(''), told: told.join('\n') }
}

export const createServeMcp =
  (agents: Agents, log: Log): ServeMcp =>
  async (person, { stdin, out, signal, draining }, account) => {
    const agent = await agents.open(person, { signal, account })
    try {
      // Loaded with the first agent, because most servers have none.
      const { serveAgentOverPipe } = await import('../mcp/server/index.ts')
      const work = (piece: () => void): Promise<void> => account.run(piece)
      const report = (error: Error): void =>
        log.debug({ error, person: person.name }, 'an agent sent an invalid message')
      await serveAgentOverPipe(agent, { stdin, out, work, draining }, { version: version(), report })
    } finally {
      await agent.close()
    }
  }
