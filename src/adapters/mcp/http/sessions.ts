import type { Person } from '../../../chat/people/person.ts'
import type { MonotonicClock } from '../../../chat/ports.ts'
import type { Json } from '../../../lib/json.ts'
import { whenAborted } from '../../../lib/when-aborted.ts'
import { failed } from './failed.ts'
import { methodOf } from './method.ts'
import type { SessionLimits } from './ports.ts'

/** One client, or all of a token that need no session. */
export interface HttpSession {
  /** The name of the session; nobody can guess it. */
  readonly id: string
  readonly person: Person
  /** Aborted when it is over, whoever ended it. */
  readonly signal: AbortSignal
  answer(request: Request, body: Json | undefined): Promise<Response>
  close(): Promise<void>
}

/** The sessions that are open. */
export interface Sessions {
  add(session: HttpSession): void
  /** The session of this name, if it belongs to the token that the person came with. */
  find(id: string, person: Person): HttpSession | undefined
  /** The one that all requests of the person's token share; opened with the first. */
  shared(person: Person, open: () => Promise<HttpSession>): Promise<HttpSession>
  /** Has a session answer. Until that is over, it is not idle. After `drain` none does. */
  use(session: HttpSession, request: Request, body: Json | undefined): Promise<Response>
  end(session: HttpSession): Promise<void>
  /** Ends each once the calls that it has now are answered. */
  drain(): void
  endAll(): Promise<void>
  count(): number
}

interface Held {
  readonly session: HttpSession
  /** Answers that are under way. */
  busy: number
  /** Those of them that have an end: the others are streams of what happens. */
  calls: number
  usedAt: number
}

/** How often idle sessions are looked for, in ms, where the limit is not shorter. */
const LOOK_MS = 10_000

export function createSessions(limits: SessionLimits, clock: MonotonicClock): Sessions {
  const held = new Map<string, Held>()
  const sharedBy = new Map<number, Promise<HttpSession>>()
  let looking: NodeJS.Timeout | undefined
  let draining = false

  function look(): void {
    clearTimeout(looking)
    const idleMs = limits.mcp_idle_s * 1_000
    for (const { session, busy, usedAt } of held.values())
      if (busy === 0 && clock.monotonic() - usedAt >= idleMs) void end(session)
    if (held.size > 0) looking = setTimeout(look, Math.min(LOOK_MS, idleMs)).unref()
  }

  /** One more than a person may have ends the one that was used least lately. */
  function makeRoom({ id }: Person): void {
    const theirs = [...held.values()].filter(({ session }) => session.person.id === id)
    const tooMany = theirs.length - limits.exec_per_person
    const oldest = theirs.toSorted((one, other) => one.usedAt - other.usedAt)
    for (const { session } of oldest.slice(0, Math.max(0, tooMany))) void end(session)
  }

  function add(session: HttpSession): void {
    held.set(session.id, { session, busy: 0, calls: 0, usedAt: clock.monotonic() })
    whenAborted(session.signal, () => void end(session))
    makeRoom(session.person)
    if (held.size === 1) look()
  }

  async function end(session: HttpSession): Promise<void> {
    if (held.delete(session.id)) await session.close()
  }

  function endIfIdle({ session, calls }: Held): void {
    if (calls === 0) void end(session)
  }

  /** Known at once, so that requests which come together open one. */
  function openShared(token: number, open: () => Promise<HttpSession>): Promise<HttpSession> {
    const forget = (): void => void (sharedBy.get(token) === opening && sharedBy.delete(token))
    const opening = open().then((session) => {
      whenAborted(session.signal, forget)
      add(session)
      return session
    })
    sharedBy.set(token, opening)
    opening.catch(forget)
    return opening
  }

  async function shared(person: Person, open: () => Promise<HttpSession>): Promise<HttpSession> {
    const token = person.login?.token?.id ?? 0
    const known = sharedBy.get(token)
    if (!known) return await openShared(token, open)
    const session = await known
    if (isSameLogin(session.person, person) && !session.signal.aborted) return session
    await end(session)
    return await shared(person, open)
  }

  return {
    add,
    find(id, person) {
      const session = held.get(id)?.session
      return session && isSameLogin(session.person, person) ? session : undefined
    },
    shared,
    async use(session, request, body) {
      const one = held.get(session.id)
      if (!one) return failed(404, 'this session is over; initialize a new one')
      if (draining) {
        endIfIdle(one)
        return failed(503, 'the server is stopping; ask again when it is back')
      }
      const calls = hasEnd(request, body) ? 1 : 0
      one.busy += 1
      one.calls += calls
      one.usedAt = clock.monotonic()
      whenAborted(request.signal, () => {
        one.busy -= 1
        one.calls -= calls
        one.usedAt = clock.monotonic()
        if (draining) endIfIdle(one)
      })
      return await session.answer(request, body)
    },
    end,
    drain() {
      draining = true
      for (const one of held.values()) endIfIdle(one)
    },
    async endAll() {
      clearTimeout(looking)
      await Promise.all([...held.values()].map(({ session }) => end(session)))
    },
    count: () => held.size,
  }
}

/** A stream of what happens is open for as long as its client wants to listen. */
const hasEnd = ({ method }: Request, body: Json | undefined): boolean =>
  method === 'POST' && methodOf(body) !== 'subscriptions/listen'

/** Whether two came with the same token, for the same rooms: one of these may be deleted meanwhile, and another have its name. */
function isSameLogin({ id, login: one }: Person, { id: otherId, login: other }: Person): boolean {
  const rooms = (login: Person['login']): string => [...(login?.token?.rooms ?? ['*'])].join(' ')
  return id === otherId && one?.token?.id === other?.token?.id && rooms(one) === rooms(other)
}
