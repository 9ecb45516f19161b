import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMigrated } from './postgres/databases.ts'
import { startServer, type Server } from './server.ts'
import { createSshHome, openSsh, ssh } from './ssh.ts'

/** Several servers on one database, and people who have keys. */
export type ClusterStage = Awaited<ReturnType<typeof createCluster>>

/** How to make one: how many servers, what their config has besides, whether they serve HTTP, and where each finds the database, if not where it is. */
export interface ClusterOptions {
  readonly servers: number
  readonly config?: string
  readonly http?: boolean
  /** What one of them alone has in its config, after that. */
  readonly own?: (at: number) => string
  readonly env?: (at: number, url: string) => Environment | Promise<Environment>
  /** Of another version than the one that was built: its program. */
  readonly main?: (at: number) => string | undefined
}

type Environment = Readonly<Record<string, string>>

const CONFIG = `[server]
access = "open"
[storage]
url_env = "DATABASE"
`

/** Nobody is paced: all clients of a test come from one address. */
const LIMITS = '[limits]\naddress_burst = 1000000\nrate_burst = 1000\n'

export async function createCluster({
  servers: count,
  config = LIMITS,
  http = false,
  own,
  env,
  main,
}: ClusterOptions) {
  const servers: Server[] = []
  const database = await createMigrated()
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-cluster-'))
  const home = await createSshHome()
  const target = async (at: number, user: string, mode: string, key = user) => ({
    user,
    port: servers[at]?.port ?? 0,
    key: await home.key(key),
    options: ['-o', 'LogLevel=ERROR', mode],
  })

  async function begin(at: number): Promise<Server> {
    const dataDir = join(dir, `server${at}`)
    await mkdir(dataDir, { recursive: true })
    return await startServer({
      dataDir,
      config: CONFIG + config + (own?.(at) ?? ''),
      http,
      env: { DATABASE: database.url, ...(await env?.(at, database.url)) },
      main: main?.(at),
    })
  }

  async function start(at: number): Promise<void> {
    servers[at] = await begin(at)
  }
  const open = async (
    at: number,
    name: string,
    mode: '-tt' | '-T',
    words?: readonly string[],
    key?: string,
  ) => openSsh(await target(at, name, mode, key), words)
  const as = async (at: number, name: string, words: readonly string[], input?: string) =>
    await ssh(await target(at, name, '-T'), words, input === undefined ? {} : { input })
  const run = async (at: number, name: string, line: string) => await as(at, name, line.split(' '))

  for (let at = 0; at < count; at++) await start(at)
  return {
    servers,
    database,
    /** Starts a server in the place of one that has ended. */
    start,
    /** Ends a server in this way, and starts another one in its place. */
    async restart(at: number, how: 'SIGTERM' | 'SIGKILL') {
      await servers[at]?.stop(how)
      await start(at)
    },
    /** `ssh NAME@server WORDS…` to one of the servers. */
    as,
    /** The same with the words of a line. */
    run,
    /** What it prints. Rejects if it does not succeed, or has something to say against it. */
    async done(at: number, name: string, line: string) {
      const { exitCode, stdout, stderr } = await run(at, name, line)
      if (exitCode !== 0 || stderr !== '') throw new Error(`${name}: ${line}: exit ${exitCode}, ${stderr}`)
      return stdout
    },
    /** A session, or a command if there are words; with the name's own key, or another one's. */
    open,
    /** A session without a window that is in the lobby. */
    async inLobby(at: number, name: string, key?: string) {
      const session = await open(at, name, '-T', [], key)
      await session.waitFor('-- lobby')
      return session
    },
    /** The same with a terminal: a pipe ends when its author is put out of a room. */
    async atTerminal(at: number, name: string) {
      const session = await open(at, name, '-tt')
      await session.waitFor(/[-─]\S* lobby/)
      return session
    },
    /** The line of somebody's `.pub` file, and its fingerprint. */
    publicKey: async (name: string) => await readFile(`${await home.key(name)}.pub`, 'utf8'),
    fingerprint: (name: string) => home.fingerprint(name),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
