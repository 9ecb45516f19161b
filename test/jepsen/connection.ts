import { setTimeout as pause } from 'node:timers/promises'
import type { Machine } from '../support/faults/machine.ts'
import { login, openSession } from '../support/load/client.ts'
import { keyOf } from '../support/load/keys.ts'
import type { History, Visit } from './history.ts'

/** What a command came to. */
export interface Answer {
  readonly status: number | undefined
  readonly text: string
}

/** A client's connection, with a session on it that has no terminal. */
export interface Connection extends AsyncDisposable {
  readonly visit: Visit
  readonly machine: Machine
  isOpen(): boolean
  /** Types a line. */
  type(line: string): void
  /** Resolves to what matched, once the screen shows it after so many characters; to undefined when it ends or takes too long. */
  shows(pattern: RegExp, from: number): Promise<RegExpExecArray | undefined>
  /** Runs a command beside the session; undefined when nothing is known of it. */
  run(line: string): Promise<Answer | undefined>
  /** Ends it, as its client wants. */
  leave(): Promise<void>
}

/** Longer than any fault lasts: who waits sees what comes of it. */
const PATIENCE_MS = 40_000

/** Logs in, and waits for the first screen. Rejects where it is not let in. */
export async function connectTo(machine: Machine, client: string, history: History): Promise<Connection> {
  const askedAt = history.now()
  const visit: Visit = {
    ...{ client, machine: machine.name, openedAt: askedAt, endedAt: undefined },
    ...{ isOwnWish: false, stays: [], screen: '' },
  }
  const watchers = new Set<() => void>()
  const changed = (): void => {
    for (const look of watchers) look()
  }
  const target = { port: machine.server.port, name: client, key: keyOf(client) }
  const opening = openSession(target, undefined, (bytes) => {
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

  const shows: Connection['shows'] = (pattern, from) =>
    within(
      PATIENCE_MS,
      new Promise<RegExpExecArray | undefined>((resolve) => {
        const look = (): void => {
          const found = pattern.exec(visit.screen.slice(from))
          if (!found && visit.endedAt === undefined) return
          watchers.delete(look)
          resolve(found ?? undefined)
        }
        watchers.add(look)
        look()
      }),
    )

  return {
    visit,
    machine,
    shows,
    isOpen: () => visit.endedAt === undefined,
    type: (line) => void session.channel.write(`${line}\n`),
    run: (line) => within(PATIENCE_MS, runOn(session.ssh, line, session.closed)),
    async leave() {
      visit.isOwnWish = visit.endedAt === undefined
      await session[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  }
}

/** Who only runs commands, and is in no room. */
export interface Visitor extends AsyncDisposable {
  readonly machine: Machine
  run(line: string): Promise<Answer | undefined>
}

export async function callOn(machine: Machine, client: string): Promise<Visitor> {
  const { ssh, closed, ...rest } = await login({
    port: machine.server.port,
    name: client,
    key: keyOf(client),
  })
  return { ...rest, machine, run: (line) => within(PATIENCE_MS, runOn(ssh, line, closed)) }
}

type Ssh = Awaited<ReturnType<typeof openSession>>['ssh']

function runOn(ssh: Ssh, line: string, closed: Promise<void>): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    void closed.then(() => resolve(undefined))
    try {
      ssh.exec(line, (error, channel) => {
        if (error) return resolve(undefined)
        let text = ''
        let status: number | undefined
        channel.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
        channel.stderr.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')))
        channel.on('exit', (code: number | null) => (status = code ?? undefined))
        channel.on('error', () => undefined)
        channel.on('close', () => resolve(status === undefined ? undefined : { status, text }))
        channel.end()
      })
    } catch {
      // ssh2 throws where the connection has just ended.
      resolve(undefined)
    }
  })
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const limit = new AbortController()
  const late = pause(ms, undefined, { signal: limit.signal }).catch(() => undefined)
  return await Promise.race([work, late]).finally(() => limit.abort())
}
