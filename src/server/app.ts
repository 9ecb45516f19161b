/**
 * server joins all other parts, and only it may know everything: config, HTTP, metrics, assembly, what
 * operators run. Only main.ts and tests may import it. It decides nothing about rooms, prompts or tools.
 */
import { hostname } from 'node:os'
import { SshServer } from '../ssh/index.ts'
import type { Log } from '../base/environment.ts'
import { type ClientHandler, createLazyMarkdown } from '../terminal/index.ts'
import type { AppContext, Overrides, TakeOwnership } from './context.ts'
import { openHostKeys, type HostKeys } from './host-keys.ts'
import { createRoomsAndPeople } from './rooms-and-people.ts'
import { clusterEvents, configHash, openCluster, tellFacts } from './cluster.ts'
import { followChanges } from './follow-changes.ts'
import { openData } from './open-data.ts'
import { type Activity, createActivity, hasModels } from './activity.ts'
import { createInterruptedTurns } from './assemble-turns.ts'
import { version } from '../base/paths.ts'
import { allModels, createCurrentConfig, type CurrentConfig } from './current-config.ts'
import { openHttp } from './http.ts'
import { createReload, type ReloadResult } from './reload.ts'
import { createLocalBus, createLocalPeers } from '../chat/index.ts'
import type { Config } from './config/config.ts'
import { createCommands } from './commands.ts'
import { createVisits } from './visits.ts'
import { createPostLine } from './post-line.ts'

/** The address on which the server listens. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/**
 * Creates a server that does not listen yet. `data` is the data directory if it is being opened already; the
 * app owns it from then on. Disposing reverses the creation.
 */
export async function createApp(
  config: Config,
  overrides: Overrides = {},
  data: Promise<AppContext> = openData(config, overrides),
): Promise<App> {
  const undo: AsyncDisposable[] = []
  const owned: TakeOwnership = (part) => {
    undo.push(part)
    return part
  }
  const dispose = async (): Promise<void> => {
    for (const part of undo.splice(0).toReversed()) await part[Symbol.asyncDispose]()
  }
  try {
    return new App(await assemble(config, overrides, data, owned), dispose)
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Creates all parts of a server in order of their dependencies. */
async function assemble(
  config: Config,
  overrides: Overrides,
  data: Promise<AppContext>,
  owned: TakeOwnership,
) {
  const [models, context] = await Promise.all([allModels(config), data])
  owned(context.storage)
  const current = createCurrentConfig({ ...config, models })
  const hostKeys = await openHostKeys(config)
  const fingerprints = hostKeys.keys.map((key) => key.fingerprint)
  const shown = { name: nameOf(config.listen) }
  const cluster = await openCluster(config, context, async () => ({
    name: shown.name,
    version: version(),
    config: await configHash(current.now(), fingerprints),
  }))
  if (cluster) owned(cluster)
  const peers = cluster ?? createLocalPeers()
  const bus = cluster?.bus ?? createLocalBus(context.log)
  const chat = await createRoomsAndPeople(current, context, { peers, bus })
  const { rooms, tap } = chat
  const interrupted = createInterruptedTurns(rooms, context)
  await cluster?.begin(clusterEvents(rooms, interrupted.endAll))
  await interrupted.endAll()
  const activity = await createActivity(current, rooms, { context, peers, interrupted }, overrides, owned)
  const { tools, mcp, hooks, work } = activity
  tap(hooks.onEntry)
  tap(work.summaries.onEntry)
  // Runs after the sessions have ended and before the storage is closed.
  owned({ [Symbol.asyncDispose]: () => rooms.flushPresence() })
  const markdown = createLazyMarkdown()
  const commands = await createCommands(current, chat, activity, context)
  const { talk, runner } = commands
  const routines = owned(commands.routines)
  const { handler, agents } = createVisits(current, { context, chat, activity, commands, markdown })
  if (cluster) await followChanges(cluster, { chat, talk, work, mcp, routines, context })
  const ssh = owned(createSshServer(current, hostKeys, handler, context))
  const { meter } = context
  const needs = { context, ssh, agents, postLine: createPostLine(runner, rooms), overrides }
  const http = meter && owned(await openHttp(current, chat, activity, { ...needs, meter }))
  const reload = createReload(current, { tools, mcp, summaries: work.summaries, hostKeys }, context.log)
  return {
    config,
    context,
    current,
    fingerprints,
    shown,
    cluster,
    chat,
    activity,
    markdown,
    agents,
    routines,
    ssh,
    http,
    reload,
  }
}

/** A server; see `createApp`. */
export class App implements AsyncDisposable {
  readonly #parts: Awaited<ReturnType<typeof assemble>>
  readonly #dispose: () => Promise<void>
  /** Fingerprints of the host keys, `SHA256:…`. */
  readonly fingerprints: readonly string[]
  /** Absent if there is an admin. */
  readonly claimCode: string | undefined
  readonly log: Log

  constructor(parts: Awaited<ReturnType<typeof assemble>>, dispose: () => Promise<void>) {
    this.#parts = parts
    this.#dispose = dispose
    this.fingerprints = parts.fingerprints
    this.claimCode = parts.chat.claimCode
    this.log = parts.context.log
  }

  /** Applies another config as far as possible without a restart. See `Reload`. */
  async reload(read: () => Config): Promise<ReloadResult> {
    const outcome = await this.#parts.reload(read)
    await tellFacts(this.#parts.cluster, this.log)
    return outcome
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#dispose()
  }

  /** Listens on the configured address. Rejects if it cannot. */
  async listen(): Promise<ListenAddress> {
    const { config, current, ssh, shown, cluster, activity } = this.#parts
    const address = await ssh.listen(config.listen.host, config.listen.port)
    shown.name = nameOf(address)
    void tellFacts(cluster, this.log)
    if (hasModels(current.now())) await composes(activity.composer)
    // Starts after the caller has printed the address.
    setImmediate(() => this.#warmUp())
    return address
  }

  /** Listens for HTTP. Resolves to undefined if no HTTP address is configured. */
  async listenHttp(): Promise<ListenAddress | undefined> {
    const { config, http } = this.#parts
    const { listen } = config.http
    return listen && (await http?.listen(listen.host, listen.port))
  }

  /**
   * Loads parts so that the first users need not wait, and starts summaries and removals that are due. A
   * failure is reported again when a part is used.
   */
  #warmUp(): void {
    const { log } = this
    const { keeping, work } = this.#parts.activity
    keeping.start()
    this.#parts.routines.start()
    work.turns.models().catch((error: unknown) => log.debug({ error }, 'could not check the models'))
    work.summaries
      .checkAll()
      .catch((error: unknown) => log.warn({ error }, 'could not check the summaries of rooms'))
    this.#parts.markdown
      .load()
      .catch((error: unknown) => log.error({ error }, 'the parser of Markdown could not be loaded'))
  }

  /**
   * Refuses new connections, ends sessions, and waits for turns and agents for at most `drain_s`, or until
   * the signal of `hurry` is aborted. Health checks over HTTP still succeed if the server is well. Never
   * rejects.
   */
  async drain(hurry: () => AbortSignal): Promise<void> {
    const { chat, activity, ssh, http, agents, routines, current } = this.#parts
    const { turns } = activity.work
    const sessions = chat.comingIn.clients.sessions()
    activity.approvals.drain()
    await routines[Symbol.asyncDispose]()
    ssh.drain()
    http?.drain()
    const { drain_s: seconds } = current.limits
    if (seconds > 0) {
      this.log.info(
        { sessions, turns: turns.countHere(), seconds },
        'draining: sessions end, and turns and the calls of agents may go on for some time',
      )
      const until = timeIsOver(seconds * 1_000, hurry())
      await Promise.all([turns.finish(until), agents.allClosed(until)])
      this.log.info({ turns: turns.countHere() }, 'drained; turns that still run are stopped')
    }
    await agents.stop()
  }
}

/** Time in ms to wait for a wrap process, which usually starts in 500 ms but may hang. */
const WRAP_START_MS = 5_000

/** Resolves when prompts can be composed, or when the reason why not was logged. */
const composes = (composer: Activity['composer']): Promise<void> =>
  composer.ready(AbortSignal.timeout(WRAP_START_MS)).catch(() => undefined)

function createSshServer(
  { now, limits }: CurrentConfig,
  { keys: hostKeys }: HostKeys,
  handler: ClientHandler,
  { clock, log, meter }: AppContext,
): SshServer {
  return new SshServer({
    hostKeys,
    limits,
    banner: () => bannerFor(now().server.access),
    cas: () => now().server.user_ca,
    proxies: () => now().server.proxies,
    handler,
    now: () => clock.now(),
    countLogin: (refused) => meter?.login(refused),
    log,
  })
}

const BANNER = 'sshawl lets you in with a key. If you have none: ssh-keygen -t ed25519\n'

/** ASCII only: clients escape other characters. */
const HOW_TO_ASK =
  'If you are new here: ask somebody who is here for an invite code.\nType it when asked, or: ssh NAME+CODE@HOST\nA refused code may be wrong, used up or expired.\n'

/** Shown before a login, if the network's last login was refused. */
const bannerFor = (access: Config['server']['access']): string =>
  access === 'invite' ? `${BANNER}${HOW_TO_ASK}` : BANNER

/** The server's name for admins, because several machines may listen on the same address. */
const nameOf = ({ host, port }: ListenAddress): string => `${hostname()} (${host}:${port})`

/** Unlike `AbortSignal.timeout`, which Node 20 may garbage-collect if only another signal refers to it. */
function timeIsOver(ms: number, other: AbortSignal): AbortSignal {
  const over = new AbortController()
  setTimeout(() => over.abort(), ms).unref()
  other.addEventListener('abort', () => over.abort())
  return over.signal
}
