import { once } from 'node:events'
import type { App } from '../app.ts'
import { loadConfig, type Address, type Config } from '../config/config.ts'
import type { CommandLine } from '../config/flags.ts'
import { ConfigError } from '../config/environment.ts'
import { createDeferred } from '../lib/jobs/waiting.ts'
import { errorCode, errorMessage } from '../lib/errors.ts'
import { exposureOf } from './http.ts'
import { answerReloads } from './reload-socket.ts'
import type { Reloaded } from './reload.ts'
import { openData } from './open-data.ts'
import { toolWordProblems } from './tools/tool-words.ts'

/** After so many ms a shutdown does not wait any more. */
const SHUTDOWN_MS = 4_500

/**
 * Serves until SIGTERM or SIGINT; resolves to the exit status. SIGHUP and `sshawl reload` read the config
 * again. Throws `ConfigError` before anything is made.
 */
export async function serve(line: CommandLine): Promise<number> {
  const stop = nextSignal()
  const hangups = listenForHangups()
  const config = loadConfig(line)
  const problems = [...(await toolWordProblems(config)), ...(await wrongHostKeys(config))]
  if (problems.length > 0) throw new ConfigError(problems)
  const app = await start(config, stop)
  try {
    const reload = (): Promise<Reloaded> => app.reload(() => loadConfig(line))
    await using _socket = await answerReloads(config.dataDir, reload)
    hangups.answer(reload)
    announce(app, await takeAddress(() => app.listen(), config.listen, '--listen'), config.server.access)
    await listenHttp(app, config)
    if (!stop.aborted) await once(stop, 'abort')
    app.log.info({ signal: String(stop.reason) }, 'the server is stopping')
    await app.drain(nextSignal)
  } finally {
    // Also for handles that others left open.
    setTimeout(() => process.exit(), SHUTDOWN_MS).unref()
    await app[Symbol.asyncDispose]()
  }
  app.log.info({}, 'the server has stopped')
  return 0
}

/** Loading the key reader takes a moment. */
async function wrongHostKeys(config: Config): Promise<readonly string[]> {
  if (config.server.host_keys.length === 0) return []
  return await (await import('./host-keys.ts')).hostKeyProblems(config)
}

/** Loads the rest of the program while the database is opened in its thread. */
async function start(config: Config, stop: AbortSignal): Promise<App> {
  const data = openData(config, {}, stop)
  // A failure may come before it is awaited.
  data.catch(() => {})
  const { createApp } = await import('../app.ts')
  return await createApp(config, {}, data)
}

/** From the start: by default SIGHUP ends a process. An early one is answered later. */
function listenForHangups() {
  const { promise, resolve } = createDeferred<() => Promise<Reloaded>>()
  const onHangup = async (): Promise<void> => {
    const reload = await promise
    const { problems, notes } = await reload()
    for (const line of [...problems, ...notes]) process.stderr.write(`sshawl: ${line}\n`)
  }
  process.on('SIGHUP', () => void onHangup())
  return { answer: resolve }
}

async function listenHttp(app: App, { http }: Config): Promise<void> {
  const taken = await takeAddress(() => app.listenHttp(), http.listen, '--http')
  if (!taken) return
  console.log(`sshawl listening on http://${shownHost(taken.host)}:${taken.port}`)
  const exposure = exposureOf(http)
  if (exposure !== undefined) process.stderr.write(`sshawl: ${exposure}\n`)
}

async function takeAddress<T>(listen: () => Promise<T>, at: Address | undefined, flag: string): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const why = errorCode(error) === 'EADDRINUSE' ? 'something else listens there' : errorMessage(error)
    const advice = `choose another with ${flag}`
    throw new Error(`cannot listen on ${at?.host}:${at?.port}: ${why}; ${advice}`, { cause: error })
  }
}

const shownHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** Called at the start, so that no signal is lost. The reason is its name. */
function nextSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort(name))
  return stop.signal
}

/** No client can connect to these, except on this machine. */
const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** People and scripts wait for these lines, in this order. */
function announce(app: App, { host, port }: Address, access: Config['server']['access']): void {
  for (const fingerprint of app.fingerprints) console.log(`host key ${fingerprint}`)
  const code = app.claimCode
  if (code !== undefined) {
    // If not everybody may register, the code in the name lets its user in.
    const user = access === 'open' ? '$USER' : `$USER+${code}`
    const command = `ssh -p ${port} ${user}@${ANY_ADDRESS[host] ?? host} claim ${code}`
    console.log(`claim code ${code} — first admin: ${command}`)
  }
  console.log(`sshawl listening on ssh://${shownHost(host)}:${port}`)
}
