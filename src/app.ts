import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createWeb } from './adapters/http/web.ts'
import { createLog } from './adapters/log/pino-log.ts'
import { createComposer } from './adapters/lua/pool.ts'
import { findOllamaModels } from './adapters/models/find-ollama.ts'
import { createModel } from './adapters/models/index.ts'
import { createWorkspaces, defaultWorkspaceLimits } from './adapters/sandbox/workspaces.ts'
import { loadHostKeys } from './adapters/ssh/host-key.ts'
import { createSshServer } from './adapters/ssh/server.ts'
import { openStorage } from './adapters/storage/open.ts'
import type { Storage } from './adapters/storage/storage.ts'
import { createWrappedTools } from './adapters/wrapped-tools/wrapped-tools.ts'
import { createChat, type Chat } from './chat/chat.ts'
import { createLocalBus } from './chat/local-bus.ts'
import { createPace } from './chat/pace.ts'
import { createPeople } from './chat/people.ts'
import type { Person } from './chat/person.ts'
import type { Clock, Log } from './chat/ports.ts'
import type { Room } from './chat/room.ts'
import { createCommands } from './commands/index.ts'
import { createComplete } from './commands/complete.ts'
import { createRunner } from './commands/run.ts'
import { createSpeak } from './commands/speak.ts'
import { stopAll } from './commands/stop.ts'
import { scopeText } from './commands/tools.ts'
import type { Config } from './config.ts'
import { DATABASE } from './backup.ts'
import { makeDataDir } from './data-dir.ts'
import { createDoor } from './door.ts'
import { duration } from './lib/duration.ts'
import { createIds } from './lib/ids.ts'
import { paths } from './paths.ts'
import type { Outlook } from './seat.ts'
import { builtinTools, worldTools } from './tools/index.ts'
import type { ToolSource } from './tools/tool.ts'
import { createApprovals, type Approvals } from './turns/approvals.ts'
import { createCatalogue } from './turns/catalogue.ts'
import { markCutTurns } from './turns/cut-turns.ts'
import type { LanguageModel } from './turns/ports.ts'
import { createToolRuns, type ToolRuns } from './turns/tool-runs.ts'
import { createTurns, type Turns } from './turns/turns.ts'

/** A server, put together but not listening yet. Disposing undoes it all, in reverse order. */
export interface App extends AsyncDisposable {
  /** Of the host keys, `SHA256:…`. */
  readonly fingerprints: readonly string[]
  /** Absent once there is an admin. */
  readonly claimCode: string | undefined
  /** Takes the configured address; rejects if it cannot. */
  listen(): Promise<{ readonly host: string; readonly port: number }>
}

/** What tests may put in the place of the real thing. */
export interface Overrides {
  readonly clock?: Clock
  readonly log?: Log
  /** Milliseconds until a question without an answer is a no. */
  readonly answerMs?: number
  readonly createModel?: (settings: Config['models'][number]) => LanguageModel
}

/** Joins the core with its adapters: the only place that knows all of them. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const undo: AsyncDisposable[] = []
  const owned = <T extends AsyncDisposable>(part: T): T => {
    undo.push(part)
    return part
  }
  const dispose = async (): Promise<void> => {
    for (const part of undo.splice(0).toReversed()) await part[Symbol.asyncDispose]()
  }
  try {
    return { ...(await assemble(config, overrides, owned)), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

type Owned = <T extends AsyncDisposable>(part: T) => T

async function assemble(
  written: Config,
  overrides: Overrides,
  owned: Owned,
): Promise<Omit<App, keyof AsyncDisposable>> {
  const config = { ...written, models: await allModels(written) }
  const log = overrides.log ?? createLog(config.logLevel)
  const clock = overrides.clock ?? { now: () => Date.now() }
  await makeDataDir(config.dataDir)
  const storage = owned(await openData(config, clock, log))
  const nextId = createIds(clock, await storage.log.lastId())
  const { chat, people, claimCode } = await society(config, storage, { clock, log, nextId })
  const work = await models(config, overrides, storage, chat, { clock, log, nextId }, owned)
  const { turns, runs } = work
  const { limits } = config

  const speech = speechLimits(config)
  const speak = createSpeak(turns, speech)
  const commands = createCommands({ chat, people, ...work, clock, log, speak, speech, stores: storage })
  const pace = createPace({
    burst: limits.rate_burst,
    perSecond: limits.rate_per_s,
    clock,
    wait: (ms) => wait(ms),
  })
  const door = createDoor({
    chat,
    people,
    runner: createRunner({ commands, speak, chat, pace, log }),
    motd: config.motd,
    stdinBytes: limits.paste_bytes,
    complete: createComplete({ commands, chat, turns }),
    stop: (room, person) => stopAll(turns, runs, room, person),
    outlook: (room, person) => outlook(turns, room, person),
    running: (room) => runningIn(work, clock, room),
  })
  const hostKeys = await loadHostKeys(config.dataDir)
  const server = owned(createSshServer({ hostKeys, limits, banner: BANNER, door, log }))
  return {
    fingerprints: hostKeys.map((key) => key.fingerprint),
    claimCode,
    listen: () => server.listen(config.listen.host, config.listen.port),
  }
}

const speechLimits = ({ limits }: Config) => ({
  chars: limits.message_chars,
  pasteBytes: limits.paste_bytes,
  lines: limits.message_lines,
})

/** Those of the config, and where it names none, those of an Ollama on this machine. */
async function allModels({ models, discoverModels }: Config): Promise<Config['models']> {
  const taken = new Set(models.map((model) => model.name))
  const found = discoverModels ? await findOllamaModels() : []
  return [...models, ...found.filter((model) => !taken.has(model.name))]
}

const BANNER = 'sshawl lets you in with a key. If you have none: ssh-keygen -t ed25519\n'

interface Means {
  readonly clock: Clock
  readonly log: Log
  readonly nextId: () => string
}

const openData = ({ dataDir }: Config, clock: Clock, log: Log): Promise<Storage> =>
  openStorage({
    engine: 'sqlite',
    file: join(dataDir, DATABASE),
    migrationsDir: paths.migrations,
    clock,
    log,
  })

/** The rooms, and the people who may come into them. */
async function society(config: Config, storage: Storage, { clock, log, nextId }: Means) {
  const { rooms, people: store } = storage
  const parts = { entries: storage.log, rooms, people: store, bus: createLocalBus(log), clock, nextId, log }
  const chat = createChat(parts, {
    roomsPerPerson: config.limits.rooms_per_person,
    adminNames: config.sandbox.workspaces,
  })
  await chat.lobby()
  const claimCode = (await store.hasAdmin()) ? undefined : newClaimCode()
  const modelNames = config.models.map((model) => model.name)
  const { access, admins } = config
  return {
    chat,
    claimCode,
    people: createPeople({ store, clock, nextId, access, admins, modelNames, claimCode }),
  }
}

/** Letters and digits that cannot be taken for each other when read aloud. */
const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function newClaimCode(): string {
  const four = (): string =>
    Array.from({ length: 4 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
  return `${four()}-${four()}`
}

/** What is at work in the rooms: models' turns, people's own tool runs, and what both must ask for. */
interface Work {
  readonly turns: Turns
  readonly runs: ToolRuns
  readonly approvals: Approvals
}

/** The models, the tools that they and people may call, and the turns and runs in which they do. */
async function models(
  config: Config,
  overrides: Overrides,
  storage: Storage,
  chat: Chat,
  means: Means,
  owned: Owned,
): Promise<Work> {
  const { log, clock } = means
  const { limits, dataDir, sandbox } = config
  const composer = owned(
    createComposer({
      entry: paths.wrapProcess,
      packageRoot: paths.root,
      engine: config.lua.engine,
      encodings: [...new Set(config.models.map((model) => model.encoding))],
      size: Math.max(2, availableParallelism()),
      log,
    }),
  )
  const workspaces = owned(
    createWorkspaces({
      root: join(dataDir, 'rooms'),
      searchEntry: paths.fileSearch,
      mapped: sandbox.workspaces,
      limits: { ...defaultWorkspaceLimits, diskBytes: sandbox.diskMb * 1024 * 1024 },
      mode: sandbox.mode,
      log,
    }),
  )
  const sources = await toolSources(config, chat, storage, log, owned)
  await markCutTurns({ turns: storage.turns, log: storage.log, clock, room: (name) => chat.anyRoom(name) })
  const approvals = createApprovals({
    room: (name) => chat.anyRoom(name),
    grants: storage.grants,
    limits: {
      approvals_per_room: limits.approvals_per_room,
      ...(overrides.answerMs === undefined ? {} : { answer_ms: overrides.answerMs }),
    },
    clock,
    log,
  })
  const tools = {
    catalogue: createCatalogue({ sources, disabled: config.tools.disabled, log }),
    workspaces,
    permissions: approvals,
    rooms: storage.rooms,
    results: storage.results,
    newId: means.nextId,
    limits: {
      ...limits,
      tools: { timeoutMs: config.tools.timeout_s * 1000, outputLines: 2000, outputBytes: 262_144 },
    },
    clock,
    log,
  }
  const runs = owned(createToolRuns(tools))
  const turns = createTurns({
    ...tools,
    models: config.models.map((settings) => ({
      settings,
      model: (overrides.createModel ?? createModel)(settings),
    })),
    composer,
    history: storage.history,
    calibrations: storage.calibrations,
    scripts: storage.scripts,
    turns: storage.turns,
    toolsShare: 0.4,
  })
  return { turns: owned(turns), runs, approvals }
}

async function toolSources(
  config: Config,
  chat: Chat,
  { rooms, results }: Pick<Storage, 'rooms' | 'results'>,
  log: Log,
  owned: Owned,
): Promise<readonly ToolSource[]> {
  const names = config.models.filter((model) => model.enabled).map((model) => model.name)
  const builtin = builtinTools({
    todo: rooms,
    sideTurns: config.limits.turn_depth > 0,
    web: createWeb(config.web, paths.pageReader),
    results,
  })
  const internal = worldTools({ chat, rooms, models: { names: () => names }, speech: speechLimits(config) })
  const wrapped = owned(
    await createWrappedTools({
      dirs: [paths.wrappedTools, ...config.tools.dirs],
      base: () => builtin,
      disabled: config.tools.disabled,
      log,
    }),
  )
  return [
    { group: 'internal', name: 'internal', tools: () => internal },
    { group: 'builtin', name: 'builtin', tools: () => builtin },
    wrapped,
  ]
}

/** What the status line tells a person of a room. */
async function outlook(turns: Turns, room: Room, person: Person): Promise<Outlook> {
  const { scope, visible } = await turns.scope({ room, person })
  return { models: turns.names(), scope: scopeText(scope), tools: visible }
}

/** `@qwen thinking 3.2s`, `alice run_command 1s` */
function runningIn({ turns, runs }: Work, clock: Clock, { name }: Room): readonly string[] {
  const since = (startedAt: number): string => duration(clock.now() - startedAt)
  return [
    ...turns.running(name).map((turn) => `@${turn.model} ${turn.doing()} ${since(turn.startedAt)}`),
    ...runs.running(name).map((run) => `${run.requester} ${run.tool} ${since(run.startedAt)}`),
  ]
}
