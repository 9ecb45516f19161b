import { availableParallelism } from 'node:os'
import { createComposer, type PoolComposer } from '../adapters/lua/composer.ts'
import { createWorkspaces } from '../adapters/sandbox/workspaces.ts'
import { createByteQuota, type ByteQuota } from '../chat/limits.ts'
import type { Peers } from '../chat/peers.ts'
import type { Rooms } from '../chat/rooms.ts'
import type { Log } from '../chat/ports.ts'
import type { Config } from '../config/config.ts'
import { ownRoomsDir } from '../config/directories.ts'
import { paths } from './paths.ts'
import { RoomHooks } from '../prompt/hooks.ts'
import { OUTPUT_LIMITS, type ToolLimits } from '../tools/context.ts'
import type { Workspaces } from '../tools/workspace.ts'
import { Approvals } from '../approvals/approvals.ts'
import { ToolRunner } from '../toolbox/run-tool.ts'
import { createToolboxes } from '../toolbox/room-toolbox.ts'
import { ToolRuns } from '../toolbox/tool-runs.ts'
import type { ConfiguredModel } from '../turns/ports.ts'
import type { Turns } from '../turns/turns.ts'
import type { Summaries } from '../turns/summaries/summaries.ts'
import {
  assembleSummaries,
  assembleTurns,
  configuredModels,
  createModelServices,
  type ModelServicesParts,
  type TurnEnder,
} from './assemble-turns.ts'
import type { AppContext, Overrides, Owned } from './context.ts'
import type { CurrentConfig } from './current-config.ts'
import { meteredComposer } from './metering.ts'
import type { Mcp } from './mcp/admin.ts'
import { openToolkit } from './tools/open-toolkit.ts'
import type { ConfiguredTools } from './tools/tool-sources.ts'

/** What works in the rooms, and can be stopped: models' turns, people's own tool runs, and summaries. */
export interface Work {
  readonly turns: Turns
  readonly runs: ToolRuns
  readonly summaries: Summaries
}

/** What goes on in the rooms, and what it must ask for. */
export interface Activity {
  readonly work: Work
  readonly approvals: Approvals
  /** What rooms' scripts do when something happens. */
  readonly hooks: RoomHooks
  /** What is stored for each person: tools count here, and so must whoever takes what people send. */
  readonly bytes: ByteQuota
  /**
   * Resolves once prompts can be composed, or it is logged why not; at once if the config has no model but
   * @guide.
   */
  readonly composes: () => Promise<void>
  /** Asks model servers for their facts, and looks for what is to be summed up. */
  readonly warmUp: () => void
  /** Starts what composes a prompt, @guide's too. Does nothing where it runs already. */
  readonly warmComposer: () => void
  /** The tools that follow the config. */
  readonly tools: ConfiguredTools
  /** The servers whose tools there are besides. */
  readonly mcp: Mcp
}

/** What it needs of the server. */
export interface ActivityParts {
  readonly context: AppContext
  readonly peers: Peers
  readonly turnEnder: Pick<TurnEnder, 'end'>
}

/** The models, the tools that they and people may call, and the turns and runs in which they do. */
export async function createActivity(
  current: CurrentConfig,
  rooms: Rooms,
  parts: ActivityParts,
  overrides: Overrides,
  owned: Owned,
): Promise<Activity> {
  const { context, peers } = parts
  const { storage, log, clock } = context
  const { limits } = current
  const composer = composerOf(current.now(), context, overrides, owned)
  const workspaces = owned(workspacesFor(current.now(), context))
  const { tools, mcp, scopedTools } = await openToolkit(current, rooms, context, owned)
  const approvals = approvalsOf(limits, rooms, parts, overrides)
  const models = configuredModels(current, overrides)
  const hooks = owned(hooksOf(rooms, models, composer, parts))
  const bytes = createByteQuota(limits, clock, peers.serversOf)
  const openToolbox = createToolboxes({
    scopedTools,
    runner: new ToolRunner(toolLimits(current), log),
    permissions: approvals,
    workspaces,
    results: storage.tools.results,
    bytes,
    clock,
    hooks,
  })
  const runs = new ToolRuns(openToolbox, context.nextId, clock, peers.slots)
  const shared = {
    ...{ context, stores: storage, composer, limits },
    models: modelServicesOf(limits, rooms, parts, { models, composer }),
  }
  const turns = assembleTurns({ ...shared, scopedTools, openToolbox, hooks })
  const summaries = assembleSummaries({
    ...shared,
    anyRoom: (name) => rooms.anyRoom(name),
    usualSummarizer: () => current.now().memory.summarizer,
  })
  return {
    work: {
      runs: owned(runs),
      turns: owned(turns),
      summaries: owned(summaries),
    },
    approvals,
    bytes,
    tools,
    mcp,
    hooks,
    async composes() {
      if (!hasRealModels(current.now())) return
      // Why none starts, the composer has logged.
      await composer.ready(AbortSignal.timeout(WRAP_START_MS)).catch(() => undefined)
    },
    warmUp() {
      askServers(turns, log)
      inBackground(summaries.lookAtAll(), log)
    },
    warmComposer: () => composer.warmUp(),
  }
}

/**
 * A wrap process starts in half a second where nothing else runs. A server must not wait long for one that
 * hangs.
 */
const WRAP_START_MS = 5_000

const hasRealModels = ({ models }: Config): boolean => models.some(({ backend }) => backend !== 'guide')

/** Who is asked before a tool changes something, through whatever server the question is answered. */
const approvalsOf = (
  limits: Config['limits'],
  rooms: Rooms,
  { context: { storage, clock, log }, peers }: ActivityParts,
  { answerMs }: Overrides,
): Approvals =>
  new Approvals({
    room: (name) => rooms.anyRoom(name),
    grants: storage.tools.grants,
    questions: peers.questions,
    limits,
    answerMs,
    clock,
    log,
  })

/** Rooms' scripts, of which one server runs each that something calls. */
const hooksOf = (
  rooms: Rooms,
  models: () => readonly ConfiguredModel[],
  composer: PoolComposer,
  { context: { storage, clock, log, nextId }, peers }: ActivityParts,
) =>
  new RoomHooks({
    rooms: storage.chat.rooms,
    scripts: storage.prompts.scripts,
    composer,
    clock,
    log,
    room: (name) => rooms.anyRoom(name),
    modelNames: () => models().map(({ settings }) => settings.name),
    slots: peers.slots,
    nextId,
  })

/** What turns and summaries share. */
const modelServicesOf = (
  limits: Config['limits'],
  rooms: Rooms,
  { context, peers, turnEnder }: ActivityParts,
  { models, composer }: Pick<ModelServicesParts, 'models' | 'composer'>,
) =>
  createModelServices({
    ...{ models, composer, limits, context },
    stores: context.storage,
    slots: peers.slots,
    lostTurn: (turn) => void turnEnder.end(turn),
  })

/** Asks the servers of all models what they can do, so that the first turn need not wait for that. */
function askServers(turns: Pick<Turns, 'models'>, log: Log): void {
  turns.models().catch((error: unknown) => log.debug({ error }, 'the models could not be looked at'))
}

const inBackground = (work: Promise<void>, log: Log): void =>
  void work.catch((error: unknown) => log.warn({ error }, 'the summaries of rooms could not be looked at'))

const toolLimits = (current: CurrentConfig): ToolLimits => ({
  get timeoutMs() {
    return current.now().tools.timeout_s * 1000
  },
  ...OUTPUT_LIMITS,
})

/** One that is handed in is not disposed of with the server. */
function composerOf(
  config: Config,
  context: AppContext,
  { composer }: Overrides,
  owned: Owned,
): PoolComposer {
  return meteredComposer(composer ?? owned(composerFor(config, context)), context.meter)
}

const composerFor = (config: Config, { log }: AppContext): PoolComposer =>
  createComposer(
    {
      entry: paths.wrapProcess,
      packageRoot: paths.root,
      engine: config.lua.engine,
      encodings: [...new Set(config.models.map((model) => model.encoding))],
      size: Math.max(2, availableParallelism()),
      log,
    },
    hasRealModels(config) ? 'now' : 'later',
  )

const workspacesFor = ({ dataDir, sandbox }: Config, { log }: AppContext): Workspaces & AsyncDisposable =>
  createWorkspaces({
    root: sandbox.rooms_dir,
    isShared: sandbox.rooms_dir !== ownRoomsDir(dataDir),
    searchEntry: paths.fileSearch,
    mapped: sandbox.workspaces,
    limits: { diskBytes: sandbox.disk_mb * 1024 * 1024, memoryBytes: sandbox.memory_mb * 1024 * 1024 },
    mode: sandbox.mode,
    log,
  })
