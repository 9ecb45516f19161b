import { setTimeout as pause } from 'node:timers/promises'
import type { Machine } from '../support/faults/machine.ts'
import { login, openSession, runCommand, type LoadClient } from '../support/load/client.ts'
import { keyOf } from '../support/load/keys.ts'
import { createWaiting } from '../support/waiting.ts'
import type { History, Visit } from './history.ts'

/** A client's connection, with a session on it that has no terminal. */
export type Connection = Awaited<ReturnType<typeof connectTo>>

/** Longer than any fault lasts: who waits sees what comes of it. */
const PATIENCE_MS = 40_000

const targetOf = ({ server }: Machine, name: string) => ({ port: server.port, name, key: keyOf(name) })

/** Logs in, and waits for the first screen. Rejects if it is not let in. */
export async function connectTo(machine: Machine, client: string, history: History) {
  const visit: Visit = {
    ...{ client, machine: machine.name, openedAt: history.now(), endedAt: undefined },
    ...{ isOwnWish: false, stays: [], screen: '' },
  }
  const { changed, until } = createWaiting()
  const opening = openSession(targetOf(machine, client), undefined, (bytes) => {
    visit.screen += bytes.toString('utf8')
    changed()
  })
  const session = await within(PATIENCE_MS, opening)
  if (!session) {
    void opening.then((late) => late[Symbol.asyncDispose]()).catch(() => undefined)
    throw new Error('no answer to the login')
  }
  history.visits.push(visit)
  void session.ended.then(() => {
    visit.endedAt = history.now()
    const last = visit.stays.at(-1)
    if (last) last.until ??= visit.endedAt
    changed()
  })

  return {
    visit,
    machine,
    isOpen: () => visit.endedAt === undefined,
    type: (line: string) => void session.channel.write(`${line}\n`),
    /** Resolves to what matched after `from` characters; to undefined when it ends or takes too long. */
    async shows(pattern: RegExp, from: number): Promise<RegExpExecArray | undefined> {
      const found = until(
        () => pattern.exec(visit.screen.slice(from)) ?? (visit.endedAt !== undefined && 'ended'),
      )
      const seen = await within(PATIENCE_MS, found)
      return seen === 'ended' ? undefined : seen
    },
    /** Runs a command beside the session; undefined when nothing is known of it. */
    run: (line: string) => runOn(session, line),
    /** Ends it, as its client wants. */
    async leave() {
      visit.isOwnWish = visit.endedAt === undefined
      await session[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

/** Lets somebody in who only runs commands, and is in no room. */
export async function callOn(machine: Machine, client: string) {
  const connection = await login(targetOf(machine, client))
  return { ...connection, machine, run: (line: string) => runOn(connection, line) }
}

const runOn = (client: LoadClient, line: string) =>
  within(
    PATIENCE_MS,
    runCommand(client, line).then(
      ({ status, text }) => (status === undefined ? undefined : { status, text }),
      () => undefined,
    ),
  )

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const limit = new AbortController()
  const late = pause(ms, undefined, { signal: limit.signal }).catch(() => undefined)
  return await Promise.race([work, late]).finally(() => limit.abort())
}
