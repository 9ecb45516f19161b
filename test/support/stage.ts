import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModelServer, type ModelServer } from './model-server.ts'
import { startServerHere } from './server-here.ts'
import { startServer, type AnyServer, type Server, type ServerOptions } from './server.ts'
import { emptyDatabase } from './storage.ts'
import { onPostgres } from './stored.ts'
import { createSharedConnections } from './shared-connection.ts'
import { createSshHome, openSsh, ssh, type SshHome, type SshResult, type SshSession } from './ssh.ts'

/** What the client itself has to say is left out of standard error. */
const QUIET = ['-o', 'LogLevel=ERROR']

/** A server with people who have keys: the stage of an end-to-end test. */
export interface Stage<S extends AnyServer = Server> extends AsyncDisposable {
  server: S
  readonly home: SshHome
  readonly dir: string
  /** Ends the server in this way and starts it on the same data. */
  readonly restart: (how: 'SIGTERM' | 'SIGKILL') => Promise<void>
  /** Ends the server, and has one that is started in this way go on with the same data, until the next restart. */
  goOnWith(start: (options: ServerOptions) => Promise<S>): Promise<void>
  /** `ssh NAME@server WORDS…`, with the key `key` (the name's own when absent). */
  as(
    name: string,
    words: readonly string[],
    options?: { readonly input?: string; readonly key?: string },
  ): Promise<SshResult>
  /** An interactive session: with a pty, or with `-T`. */
  open(name: string, mode: '-tt' | '-T', key?: string): Promise<SshSession>
  claim(name: string): Promise<void>
}

/** An encoding whose tables are loaded in a fifth of the time that the usual one takes: for tests that count no tokens. */
const LIGHT = 'encoding = "r50k_base"'

/** The guide, which is there without this entry, counted with it. */
const LIGHT_GUIDE = `
[[models]]
name = "guide"
backend = "guide"
${LIGHT}
`

/**
 * What slows down a test that is not about it: all clients come from one address, of which each after the fortieth would wait 0.2 s,
 * and one person says many lines, of which each after the eighth would wait 0.5 s.
 */
const UNPACED = { address_burst: 1_000_000, rate_burst: 1_000 }

/** The config without them, unless it names them itself. */
function unpaced(config: string): string {
  const missing = Object.entries(UNPACED).filter(([key]) => !config.includes(key))
  const limits = ['[limits]', ...missing.map(([key, value]) => `${key} = ${value}`), ''].join('\n')
  return config.includes('[limits]\n') ? config.replace('[limits]\n', limits) : `${config}\n${limits}`
}

/** How to make a stage. Where the config names no models, there is the guide alone. */
interface StageOptions extends Partial<ServerOptions> {
  /** Of the server's process. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether the commands of one person go over one connection (shared-connection.ts): for tests that are not about logins. */
  readonly isShared?: boolean
}

/** A stage with the built server in a process of its own: for tests of signals, of its environment, of what it writes. */
export const createStage = (options: StageOptions = {}): Promise<Stage> => stageWith(startServer, options)

/** A stage whose server runs in this process, as most tests can have it. */
export const createStageHere = (options: Omit<StageOptions, 'env'> = {}): Promise<Stage<AnyServer>> =>
  stageWith(startServerHere, options)

async function stageWith<S extends AnyServer>(
  start: (options: ServerOptions) => Promise<S>,
  options: StageOptions,
): Promise<Stage<S>> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-stage-'))
  const home = await createSshHome()
  const { dataDir = await newDataDir(dir), config = '', isShared = false } = options
  const shared = isShared ? createSharedConnections(home.dir) : async () => []
  const serverOptions = {
    ...options,
    dataDir,
    config: unpaced(config.includes('[[models]]') ? config : config + LIGHT_GUIDE),
  }
  const stage: Stage<S> = {
    server: await start(serverOptions),
    home,
    dir,
    async restart(how) {
      await stage.server.stop(how)
      stage.server = await start(serverOptions)
    },
    async goOnWith(other) {
      await stage.server.stop('SIGTERM')
      stage.server = await other(serverOptions)
    },
    async as(name, words, { input, key } = {}) {
      const target = { user: name, port: stage.server.port, key: await home.key(key ?? name), options: QUIET }
      const on = { ...target, options: [...target.options, ...(await shared(target))] }
      return ssh(on, words, input === undefined ? {} : { input })
    },
    async open(name, mode, key) {
      const target = {
        user: name,
        port: stage.server.port,
        key: await home.key(key ?? name),
        options: [mode],
      }
      return openSsh(target)
    },
    async claim(name) {
      const code = stage.server.claimCode!
      const { exitCode, stderr } = await stage.as(`${name}+${code}`, ['claim', code], { key: name })
      if (exitCode !== 0) throw new Error(`claim failed: ${stderr}`)
    },
    async [Symbol.asyncDispose]() {
      await stage.server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
  return stage
}

/** A data directory as the first start leaves it once the migrations have run: they take a fifth of a start. */
async function newDataDir(dir: string): Promise<string> {
  const made = join(dir, 'data')
  await mkdir(made, { mode: 0o700 })
  if (onPostgres) return made
  await writeFile(join(made, 'sshawl.db'), emptyDatabase(), { mode: 0o600 })
  return made
}

/** A stage whose server has the model `qwen`, and the model server that answers for it. */
export type ModelStage<S extends AnyServer = Server> = Stage<S> & { readonly models: ModelServer }

/** `more` are further keys of the model, then further parts of the config. */
export const createModelStage = (
  more = '',
  options: Pick<StageOptions, 'http' | 'env'> = {},
): Promise<ModelStage> => withModel(createStage, more, options)

/** The same in this process. */
export const createModelStageHere = (
  more = '',
  options: Pick<StageOptions, 'http' | 'host' | 'isShared'> = {},
): Promise<ModelStage<AnyServer>> => withModel(createStageHere, more, options)

async function withModel<S extends AnyServer>(
  create: (options: StageOptions) => Promise<Stage<S>>,
  more: string,
  options: StageOptions,
): Promise<ModelStage<S>> {
  const models = await startModelServer()
  const stage = await create({
    ...options,
    config: `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3:8b"
endpoint = "${models.endpoint}/v1"
${LIGHT}
${more}${LIGHT_GUIDE}`,
  })
  const endStage = stage[Symbol.asyncDispose]
  return Object.assign(stage, {
    models,
    [Symbol.asyncDispose]: async () => {
      await endStage()
      await models[Symbol.asyncDispose]()
    },
  })
}
