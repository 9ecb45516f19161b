import { once } from 'node:events'
import type { App } from './app.ts'
import { loadConfig, type Address, type Config } from './config/config.ts'
import type { CommandLine } from './config/flags.ts'
import { ConfigError } from './config/environment.ts'
import { createDeferred } from '../base/jobs/waiting.ts'
import { errorCode, errorMessage } from '../base/errors.ts'
import { exposureOf } from './http.ts'
import { answerReloads } from './reload-socket.ts'
import type { ReloadResult } from './reload.ts'
import { openData } from './open-data.ts'
import { toolNameProblems } from './tools/tool-words.ts'

/** Time in ms after which a shutdown is cut short. */
const SHUTDOWN_MS = 4_500

/**
 * Serves until SIGTERM or SIGINT, then resolves to the exit status. SIGHUP and `sshawl reload` make it reload
 * the config. Throws `ConfigError` before it creates anything.
 */
export async function serve(line: CommandLine): Promise<number> {
  const stop = nextSignal()
  const hangups = listenForHangups()
  const config = loadConfig(line)
  const problems = [...(await toolNameProblems(config)), ...(await wrongHostKeys(config))]
  if (problems.length > 0) throw new ConfigError(problems)
  const app = await start(config, stop)
  try {
    const reload = (): Promise<ReloadResult> => app.reload(() => loadConfig(line))
    await using _socket = await answerReloads(config.dataDir, reload)
    hangups.answer(reload)
    announce(app, await takeAddress(() => app.listen(), config.listen, '--listen'), config.server.access)
    await listenHttp(app, config)
    if (!stop.aborted) await once(stop, 'abort')
    app.log.info({ signal: String(stop.reason) }, 'the server is stopping')
    await app.drain(nextSignal)
  } finally {
    // Also ends the process if modules leave handles open.
    setTimeout(() => process.exit(), SHUTDOWN_MS).unref()
    await app[Symbol.asyncDispose]()
  }
  app.log.info({}, 'the server has stopped')
  return 0
}

/** Loads the key reader, which takes a moment, only if keys are configured. */
async function wrongHostKeys(config: Config): Promise<readonly string[]> {
  if (config.server.host_keys.length === 0) return []
  return await (await import('./host-keys.ts')).hostKeyProblems(config)
}

/** Loads the rest of the program while a thread opens the database. */
async function start(config: Config, stop: AbortSignal): Promise<App> {
  const data = openData(config, {}, stop)
  // Avoids an unhandled rejection if it fails before it is awaited.
  data.catch(() => {})
  const { createApp } = await import('./app.ts')
  return await createApp(config, {}, data)
}

/** Called at the start, because by default SIGHUP ends a process. An early SIGHUP is handled later. */
function listenForHangups() {
  const { promise, resolve } = createDeferred<() => Promise<ReloadResult>>()
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

/** Called at the start, so that no signal is lost. The abort reason is the signal's name. */
function nextSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort(name))
  return stop.signal
}

/** Wildcard addresses, to which clients can connect only on this machine. */
const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Prints lines that people and scripts wait for, in this order. */
function announce(app: App, { host, port }: Address, access: Config['server']['access']): void {
  for (const fingerprint of app.fingerprints) console.log(`host key ${fingerprint}`)
  const code = app.claimCode
  if (code !== undefined) {
    // Unless everybody may register, the code in the user name lets its user in.
    const user = access === 'open' ? '$USER' : `$USER+${code}`
    const command = `ssh -p ${port} ${user}@${ANY_ADDRESS[host] ?? host} claim ${code}`
    console.log(`claim code ${code} — first admin: ${command}`)
  }
  console.log(`sshawl listening on ssh://${shownHost(host)}:${port}`)
}
