import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startModelServer, type ModelServer } from './model-server.ts'
import { createSshHome, openSsh, ssh, type SshHome, type SshResult, type SshSession } from './ssh.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

/** A running sshawl, the built one, in a process of its own. */
export interface Server extends AsyncDisposable {
  readonly port: number
  readonly claimCode: string | undefined
  /** Where it serves HTTP, if it was asked to: `http://127.0.0.1:PORT`. */
  readonly http: string
  /** The lines of standard output up to `listening`. */
  readonly lines: readonly string[]
  readonly dataDir: string
  readonly process: ChildProcess
  stderr(): string
  /** Sends a signal; resolves to the exit status, null when the signal ended it. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
}

/** Starts the server and waits until it listens. Rejects with its errors if it ends before. */
export async function startServer(options: {
  readonly dataDir: string
  /** The text of sshawl.toml. */
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether to serve HTTP, too; a text is the address. */
  readonly http?: boolean | string
}): Promise<Server> {
  const { dataDir, config, env, http = false } = options
  const file = `${dataDir}.toml`
  if (config !== undefined) await writeFile(file, config)
  const args = [
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--data',
    dataDir,
    ...(config === undefined ? [] : ['--config', file]),
    ...(http === false ? [] : ['--http', http === true ? '127.0.0.1:0' : http]),
  ]
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'], HOME: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.startsWith(`sshawl listening on ${http ? 'http' : 'ssh'}://`)) break
  }
  const port = Number(/ssh:\/\/127\.0\.0\.1:(\d+)$/m.exec(lines.join('\n'))?.[1])
  if (!port) throw new Error(`the server did not start:\n${lines.join('\n')}\n${errors}`)
  const stop: Server['stop'] = async (signal) => {
    child.kill(signal)
    return ended
  }
  return {
    port,
    claimCode: /^claim code (\S+)/.exec(lines.find((line) => line.startsWith('claim code')) ?? '')?.[1],
    http: /^sshawl listening on (http:.*)$/m.exec(lines.join('\n'))?.[1] ?? '',
    lines,
    dataDir,
    process: child,
    stderr: () => errors,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  }
}

/** What the client itself has to say is left out of standard error. */
const QUIET = ['-o', 'LogLevel=ERROR']

/** A server with people who have keys: the stage of an end-to-end test. */
export interface Stage extends AsyncDisposable {
  server: Server
  readonly home: SshHome
  readonly dir: string
  /** Ends the server with `signal` and starts it on the same data. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** `ssh NAME@server WORDS…`, with the key `key` (the name's own when absent). */
  as(
    name: string,
    words: readonly string[],
    options?: { readonly input?: string; readonly key?: string },
  ): Promise<SshResult>
  /** An interactive session: with a pty, or with `-T`. */
  open(name: string, mode: '-tt' | '-T', key?: string): Promise<SshSession>
  /** Makes somebody the first admin. */
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

/** All clients of a test come from one address. Each after the fortieth would wait 0.2 s, as if one person had sent it. */
function unpaced(config: string): string {
  if (config.includes('address_burst')) return config
  const limits = '[limits]\naddress_burst = 1000000\n'
  return config.includes('[limits]\n') ? config.replace('[limits]\n', limits) : `${config}\n${limits}`
}

/** Where its config names no models, it has the guide alone. */
export async function createStage(
  options: {
    readonly config?: string
    readonly env?: Readonly<Record<string, string>>
    /** Elsewhere than in the stage's own directory. */
    readonly dataDir?: string
    readonly http?: boolean
  } = {},
): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-stage-'))
  const home = await createSshHome()
  const { dataDir = join(dir, 'data'), config = '' } = options
  const serverOptions = {
    ...options,
    dataDir,
    config: unpaced(config.includes('[[models]]') ? config : config + LIGHT_GUIDE),
  }
  const stage: Stage = {
    server: await startServer(serverOptions),
    home,
    dir,
    async restart(signal) {
      await stage.server.stop(signal)
      stage.server = await startServer(serverOptions)
    },
    async as(name, words, { input, key } = {}) {
      const target = { user: name, port: stage.server.port, key: await home.key(key ?? name), options: QUIET }
      return ssh(target, words, input === undefined ? {} : { input })
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

/** A stage whose server has the model `qwen`, and the model server that answers for it. */
export interface ModelStage extends Stage {
  readonly models: ModelServer
}

/** `more` are further keys of the model, then further parts of the config. */
export async function createModelStage(
  more = '',
  options: { readonly http?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ModelStage> {
  const models = await startModelServer()
  const stage = await createStage({
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
