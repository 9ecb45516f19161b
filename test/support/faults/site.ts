/**
 * faults/: several servers on a PostgreSQL of their own, and on a NATS, all of which can be hurt: killed, stopped, cut off, put into
 * another time. It must not know what a room is, or what is wanted of one.
 */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNats } from '../nats.ts'
import { freePort, startAgain, startServer as startPostgres, stopServer } from '../postgres/server.ts'
import { type Machine, startMachine } from './machine.ts'

/** Servers that share a database, with all that they need. */
export type Site = Awaited<ReturnType<typeof createSite>>

export interface SiteOptions {
  readonly servers: number
  /** What carries the hints. */
  readonly bus: 'nats' | 'postgres'
  /** Of all servers, besides what says where the engines are. */
  readonly config: string
  /** By how much the clock of each is off at first, in milliseconds; not at all where it is absent. */
  readonly clocksOffMs?: readonly number[]
}

export async function createSite({ servers, bus, config, clocksOffMs = [] }: SiteOptions) {
  const ends: (() => Promise<unknown>)[] = []
  const end = async (): Promise<void> => {
    for (const one of ends.splice(0).toReversed()) await one()
  }
  try {
    const dir = await mkdtemp(join(tmpdir(), 'sshawl-site-'))
    let isKept = false
    ends.push(async () => isKept || (await rm(dir, { recursive: true, force: true })))
    // PostgreSQL runs as somebody else where the tests are root's.
    await chmod(dir, 0o755)
    const port = await freePort()
    const databaseUrl = await startPostgres(dir, port)
    ends.push(() => stopServer(dir).catch(() => undefined))
    const nats = bus === 'nats' ? await startNats() : undefined
    ends.push(async () => await nats?.kill())
    const begin = async (at: number): Promise<Machine> => {
      const name = `server${at}`
      const data = join(dir, name)
      await mkdir(data)
      const engines = { database: databaseUrl, nats: nats?.port }
      const machine = await startMachine({ name, dir: data, config, ...engines }, clocksOffMs[at])
      ends.push(async () => await machine[Symbol.asyncDispose]())
      return machine
    }
    // The first one makes the tables; the others need not wait for each other.
    const first = await begin(0)
    const others = await Promise.all(Array.from({ length: servers - 1 }, (_, at) => begin(at + 1)))
    const machines = [first, ...others]
    return {
      /** Holds what the engines and the servers store; gone with the site, but for `keep`. */
      dir,
      machines,
      /** The database as a test reaches it, whatever is cut. */
      databaseUrl,
      nats,
      stopDatabase: (how: 'immediate' | 'fast') => stopServer(dir, how),
      startDatabase: () => startAgain(dir, port),
      /** The files outlive the site. */
      keep: () => void (isKept = true),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}
