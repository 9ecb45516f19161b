/**
 * app.ts and the folder of its name are all that may know everything: they join the core with its adapters. The server is
 * started, checked, backed up and restored here. app/session-host.ts is what a client meets.
 *
 * Nothing else may import from them, except for main.ts and tests. They decide nothing about rooms, prompts or tools.
 */
import { hostname } from 'node:os'
import { SshServer } from './adapters/ssh/server.ts'
import type { ClientHandler } from './session/ports.ts'
import type { AppContext, Overrides, Owned } from './app/context.ts'
import { openHostKeys, type HostKeys } from './app/host-keys.ts'
import { createRoomsAndPeople } from './app/rooms-and-people.ts'
import { clusterEvents, configHash, openCluster, tellFacts } from './app/cluster.ts'
import { followChanges } from './app/follow-changes.ts'
import { openData } from './app/open-data.ts'
import { createActivity, type Activity } from './app/activity.ts'
import { createTurnEnder } from './app/assemble-turns.ts'
import { version } from './app/paths.ts'
import { allModels, createCurrentConfig, type CurrentConfig } from './app/current-config.ts'
import { openHttp } from './app/http.ts'
import { createReload, type Reload } from './app/reload.ts'
import { createLocalBus } from './chat/local-bus.ts'
import { createLocalPeers } from './chat/local-peers.ts'
import type { RoomName } from './chat/entry.ts'
import { Tally } from './chat/presence/tally.ts'
import type { Rooms } from './chat/rooms.ts'
import { StorageError } from './chat/errors.ts'
import type { Log } from './chat/ports.ts'
import type { Config } from './config/config.ts'
import { createLazyMarkdown, type LazyMarkdown } from './session/markdown/highlight.ts'
import { createHandler } from './app/create-handler.ts'

/** A server, put together but not listening yet. Disposing undoes it all, in reverse order. */
export interface App extends AsyncDisposable {
  /** Of the host keys, `SHA256:…`. */
  readonly fingerprints: readonly string[]
  /** Absent once there is an admin. */
  readonly claimCode: string | undefined
  readonly log: Log
  /** Puts another config in force, as far as that goes without a restart. */
  readonly reload: Reload
  /** Takes the configured address; rejects if it cannot. */
  listen(): Promise<Listening>
  /**
   * Where the config gives time for it: lets nobody in any more, ends the sessions, and waits for the turns that run until the time
   * is over, or the signal is aborted that `hurry` gives. Whoever watches the server over HTTP is still answered. Never rejects.
   */
  drain(hurry: () => AbortSignal): Promise<void>
  /** Takes the one for HTTP, likewise; undefined where none is configured. */
  listenHttp(): Promise<Listening | undefined>
}

/** The address that was taken. */
export interface Listening {
  readonly host: string
  readonly port: number
}

/**
 * Joins the core with its adapters: this file and the folder of its name are all that knows all of them. `data` is the
 * data directory, where it is being opened already; it is the app's from then on.
 */
export async function createApp(
  config: Config,
  overrides: Overrides = {},
  data: Promise<AppContext> = openData(config, overrides),
): Promise<App> {
  const undo: AsyncDisposable[] = []
  const owned: Owned = (part) => {
    undo.push(part)
    return part
  }
  const dispose = async (): Promise<void> => {
    for (const part of undo.splice(0).toReversed()) await part[Symbol.asyncDispose]()
  }
  try {
    return { ...(await assemble(config, overrides, data, owned)), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function assemble(
  written: Config,
  overrides: Overrides,
  data: Promise<AppContext>,
  owned: Owned,
): Promise<Omit<App, keyof AsyncDisposable>> {
  const [models, context] = await Promise.all([allModels(written), data])
  owned(context.storage)
  const current = createCurrentConfig({ ...written, models })
  const hostKeys = await openHostKeys(written)
  const fingerprints = hostKeys.keys.map((key) => key.fingerprint)
  let name = nameOf(written.listen)
  const cluster = await openCluster(written, context, async () => ({
    name,
    version: version(),
    config: await configHash(current.now(), fingerprints),
  }))
  if (cluster) owned(cluster)
  const peers = cluster ?? createLocalPeers()
  const bus = cluster?.bus ?? createLocalBus(context.log)
  const chat = await createRoomsAndPeople(current, context, { peers, bus })
  const { rooms, claimCode, tap } = chat
  const turnEnder = createTurnEnder(rooms, context)
  await cluster?.begin(clusterEvents(rooms, turnEnder.endAll))
  await turnEnder.endAll()
  const activity = await createActivity(current, rooms, { context, peers, turnEnder }, overrides, owned)
  tap(activity.hooks.onEntry)
  tap(activity.work.summaries.heard)
  // After the sessions have ended, and before the storage is closed.
  owned({ [Symbol.asyncDispose]: () => rooms.flushPresence() })
  const markdown = createLazyMarkdown()
  const { handler, agents, talk } = await createHandler(current, chat, activity, context, markdown)
  if (cluster) await followChanges(cluster, { chat, talk, ...activity, context })
  const server = owned(createSshServer(current, hostKeys, handler, context))
  const { meter } = context
  const needs = { context, ssh: server, agents, overrides }
  const http = meter && owned(await openHttp(current, chat, activity, { ...needs, meter }))
  const reload = createReload(
    current,
    { tools: activity.tools, mcp: activity.mcp, summaries: activity.work.summaries, hostKeys },
    context.log,
  )
  return {
    fingerprints,
    claimCode,
    log: context.log,
    async reload(read) {
      const outcome = await reload(read)
      await tellFacts(cluster, context.log)
      return outcome
    },
    async listen() {
      const address = await server.listen(written.listen.host, written.listen.port)
      name = nameOf(address)
      void tellFacts(cluster, context.log)
      await activity.composes()
      // Whoever waits for the address is told first.
      setImmediate(() => warmUp(activity, markdown, context.log))
      void sumUpHeldPresence(rooms, context)
      return address
    },
    async drain(hurry) {
      const sessions = chat.comingIn.clients.sessions()
      activity.approvals.drain()
      server.drain()
      http?.drain()
      await finishTurns({ current, turns: activity.work.turns, agents, sessions, log: context.log }, hurry)
      await agents.stop()
    },
    async listenHttp() {
      const { listen } = written.http
      return listen && (await http?.listen(listen.host, listen.port))
    },
  }
}

function createSshServer(
  { now, limits }: CurrentConfig,
  { keys: hostKeys }: HostKeys,
  handler: ClientHandler,
  { clock, log }: AppContext,
): SshServer {
  return new SshServer({
    hostKeys,
    limits,
    banner: () => bannerFor(now().server.access),
    cas: () => now().server.user_ca,
    proxies: () => now().server.proxies,
    handler,
    now: () => clock.now(),
    log,
  })
}

const BANNER = 'sshawl lets you in with a key. If you have none: ssh-keygen -t ed25519\n'

/** Shown whatever name was asked for. ASCII only: clients write other letters as numbers. */
const HOW_TO_ASK =
  'Whoever is new needs an invite code: ask somebody who is here for one.\nThen ssh NAME@HOST asks for it, or bring it along: ssh NAME+CODE@HOST\n'

/** What a client is told before its login, if the last login from its network was refused. */
const bannerFor = (access: Config['server']['access']): string =>
  access === 'invite' ? `${BANNER}${HOW_TO_ASK}` : BANNER

/** Waits for turns and calls of agents until `drain_s` is over, or until `hurry` aborts. */
async function finishTurns(
  { current, turns, agents, sessions, log }: Draining,
  hurry: () => AbortSignal,
): Promise<void> {
  const { drain_s: seconds } = current.limits
  if (seconds === 0) return
  log.info(
    { sessions, turns: turns.countHere(), seconds },
    'draining: sessions end, and turns and the calls of agents may go on for some time',
  )
  const until = timeIsOver(seconds * 1_000, hurry())
  await Promise.all([turns.finish(until), agents.allClosed(until)])
  log.info({ turns: turns.countHere() }, 'drained; turns that still run are stopped')
}

interface Draining {
  readonly current: CurrentConfig
  readonly turns: Activity['work']['turns']
  readonly agents: Awaited<ReturnType<typeof createHandler>>['agents']
  readonly sessions: number
  readonly log: Log
}

/** Of a server, for admins: several machines may listen at the same address. */
const nameOf = ({ host, port }: Listening): string => `${hostname()} (${host}:${port})`

/** Aborted after a time, or with the other signal. Node 20 may collect a signal of `AbortSignal.timeout` that only another one refers to. */
function timeIsOver(ms: number, other: AbortSignal): AbortSignal {
  const over = new AbortController()
  setTimeout(() => over.abort(), ms).unref()
  other.addEventListener('abort', () => over.abort())
  return over.signal
}

/** Whoever comes first need not wait for it. What cannot be loaded is told to those who need it. */
function warmUp(activity: Activity, markdown: LazyMarkdown, log: Log): void {
  activity.warmUp()
  markdown
    .load()
    .catch((error: unknown) => log.error({ error }, 'the parser of Markdown could not be loaded'))
}

/** Announces the comings and goings that an earlier version stored and did not sum up. */
async function sumUpHeldPresence(rooms: Rooms, { storage, log }: AppContext): Promise<void> {
  try {
    const tallies = new Map<RoomName, Tally>()
    for (const { room, ...change } of await storage.chat.entries.takeHeldPresence()) {
      const tally = tallies.get(room) ?? new Tally()
      tally.add(change)
      tallies.set(room, tally)
    }
    for (const [name, tally] of tallies) await (await rooms.anyRoom(name))?.record(tally.draft())
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.warn({ error, reason: error.reason }, 'comings and goings were not summed up')
  }
}
