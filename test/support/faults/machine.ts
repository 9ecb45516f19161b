import { startServer, type Server } from '../server.ts'
import { startGate } from './gate.ts'

/** A server in a process of its own, behind gates of its own. */
export type Machine = Awaited<ReturnType<typeof startMachine>>

/** Where a machine keeps its files, and what it connects to. */
export interface MachineOptions {
  readonly name: string
  readonly dir: string
  readonly config: string
  readonly database: string
  readonly nats: number | undefined
}

const ENGINES = '[storage]\nurl_env = "DATABASE"\n'

const SHIFTED_CLOCK = new URL('shifted-clock.mjs', import.meta.url).href

export async function startMachine({ name, dir, config, database, nats }: MachineOptions, clockOffMs = 0) {
  const toDatabase = await startGate(Number(new URL(database).port))
  const toNats = nats === undefined ? undefined : await startGate(nats)
  const url = new URL(database)
  url.port = String(toDatabase.port)
  const env = {
    DATABASE: url.href,
    ...(toNats && { NATS: `nats://127.0.0.1:${toNats.port}` }),
  }
  const text = `${config}\n${ENGINES}${toNats ? '[bus]\nurl_env = "NATS"\n' : ''}`
  const begin = (offMs: number): Promise<Server> =>
    startServer({ dataDir: dir, config: text, env: { ...env, ...clockEnvironment(offMs) } })

  let server = await begin(clockOffMs)
  let logged = ''
  return {
    name,
    toDatabase,
    /** Absent where PostgreSQL carries the hints. */
    toNats,
    /** The one that runs, or ran last. */
    get server() {
      return server
    },
    /** What all of its servers wrote to their logs. */
    log: (): string => logged + server.stderr(),
    /** Starts one in the place of one that has ended, with a clock that is off by so much. */
    async start(offMs = 0) {
      logged += server.stderr()
      server = await begin(offMs)
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await toDatabase[Symbol.asyncDispose]()
      await toNats?.[Symbol.asyncDispose]()
    },
  }
}

/** For a server whose clock is off by so many milliseconds. */
export const clockEnvironment = (offMs: number): Readonly<Record<string, string>> =>
  offMs === 0 ? {} : { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, CLOCK_OFF_MS: String(offMs) }
