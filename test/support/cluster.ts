import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMigrated, type TestDatabase } from './postgres/databases.ts'
import { startServer, type Server } from './server.ts'
import { createSshHome, openSsh, ssh, type SshResult, type SshSession } from './ssh.ts'

/** Several servers on one database, and people who have keys. */
export interface ClusterStage extends AsyncDisposable {
  readonly servers: Server[]
  readonly database: TestDatabase
  /** Ends a server in this way, and starts another one in its place. */
  restart(at: number, how: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts a server in the place of one that has ended. */
  start(at: number): Promise<void>
  /** `ssh NAME@server WORDS…` to one of the servers. */
  as(at: number, name: string, words: readonly string[], input?: string): Promise<SshResult>
  /** The same with the words of a line. */
  run(at: number, name: string, line: string): Promise<SshResult>
  /** What it prints. Rejects where it does not succeed, or has something to say against it. */
  done(at: number, name: string, line: string): Promise<string>
  /** A session without a window that is in the lobby; with the name's own key, or another one's. */
  inLobby(at: number, name: string, key?: string): Promise<SshSession>
  /** The same with a terminal: a pipe ends when its author is put out of a room. */
  atTerminal(at: number, name: string): Promise<SshSession>
  /** A session, or a command where there are words; with the name's own key, or another one's. */
  open(
    at: number,
    name: string,
    mode: '-tt' | '-T',
    words?: readonly string[],
    key?: string,
  ): Promise<SshSession>
  /** The line of somebody's `.pub` file, and its fingerprint. */
  publicKey(name: string): Promise<string>
  fingerprint(name: string): Promise<string>
}

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
}: ClusterOptions): Promise<ClusterStage> {
  const database = await createMigrated()
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-cluster-'))
  const home = await createSshHome()
  const target = async (at: number, user: string, mode: string, key = user) => ({
    user,
    port: stage.servers[at]?.port ?? 0,
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

  const stage: ClusterStage = {
    servers: [],
    database,
    async start(at) {
      stage.servers[at] = await begin(at)
    },
    async restart(at, how) {
      await stage.servers[at]?.stop(how)
      stage.servers[at] = await begin(at)
    },
    as: async (at, name, words, input) =>
      await ssh(await target(at, name, '-T'), words, input === undefined ? {} : { input }),
    run: async (at, name, line) => await stage.as(at, name, line.split(' ')),
    async done(at, name, line) {
      const { exitCode, stdout, stderr } = await stage.run(at, name, line)
      if (exitCode !== 0 || stderr !== '') throw new Error(`${name}: ${line}: exit ${exitCode}, ${stderr}`)
      return stdout
    },
    async inLobby(at, name, key) {
      const session = await stage.open(at, name, '-T', [], key)
      await session.waitFor('-- lobby')
      return session
    },
    async atTerminal(at, name) {
      const session = await stage.open(at, name, '-tt')
      await session.waitFor(/[-─]\S* lobby/)
      return session
    },
    open: async (at, name, mode, words, key) => openSsh(await target(at, name, mode, key), words),
    publicKey: async (name) => await readFile(`${await home.key(name)}.pub`, 'utf8'),
    fingerprint: (name) => home.fingerprint(name),
    async [Symbol.asyncDispose]() {
      for (const server of stage.servers) await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
  for (let at = 0; at < count; at++) await stage.start(at)
  return stage
}
