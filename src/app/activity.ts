import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createComposer, type PoolComposer } from '../adapters/lua/composer.ts'
import { createModel } from '../adapters/models/index.ts'
import { createWorkspaces } from '../adapters/sandbox/workspaces.ts'
import type { Chat } from '../chat/chat.ts'
import { StorageError } from '../chat/errors.ts'
import type { Config } from '../config/config.ts'
import { paths } from './paths.ts'
import type { Workspaces } from '../tools/ports/workspace.ts'
import { createApprovals, type Approvals } from '../approvals/approvals.ts'
import { createCatalogue } from '../toolbox/catalogue.ts'
import { createRunTool } from '../toolbox/run-tool.ts'
import { createScopedTools } from '../toolbox/scoped-tools.ts'
import { createToolboxes } from '../toolbox/toolbox.ts'
import { createToolRuns, type ToolRuns } from '../toolbox/tool-runs.ts'
import { markCutTurns } from '../turns/cut-turns.ts'
import type { Turns } from '../turns/turns.ts'
import { assembleTurns } from './assemble-turns.ts'
import type { AppContext, Overrides, Owned } from './context.ts'
import { createToolSources } from './tool-sources.ts'

/** What goes on in the rooms: models' turns, people's own tool runs, and what both must ask for. */
export interface Activity {
  readonly turns: Turns
  readonly runs: ToolRuns
  readonly approvals: Approvals
  /** Starts what a first prompt would wait for. */
  readonly warmUp: () => void
}

/** The models, the tools that they and people may call, and the turns and runs in which they do. */
export async function createActivity(
  config: Config,
  chat: Chat,
  context: AppContext,
  overrides: Overrides,
  owned: Owned,
): Promise<Activity> {
  const { storage, log, clock } = context
  const composer = owned(composerFor(config, context))
  const workspaces = owned(workspacesFor(config, context))
  const sources = await createToolSources(config, chat, context, owned)
  await endCutTurns(chat, context)
  const approvals = approvalsFor(config, chat, context, overrides)
  const catalogue = createCatalogue({ sources, disabled: config.tools.disabled, log })
  const scopedTools = createScopedTools(catalogue, storage.rooms)
  const runTool = createRunTool({ permissions: approvals, workspaces, limits: toolLimits(config), log })
  const openToolbox = createToolboxes({ scopedTools, runTool, results: storage.results, clock })
  const runs = createToolRuns(openToolbox, context.nextId, clock)
  const modelOf = overrides.createModel ?? createModel
  const models = config.models.map((settings) => ({ settings, model: modelOf(settings) }))
  const parts = { context, stores: storage, models, composer, scopedTools, openToolbox }
  const turns = assembleTurns({ ...parts, limits: config.limits })
  return { runs: owned(runs), turns: owned(turns), approvals, warmUp: composer.warmUp }
}

/** What cannot be stored now is done at the next start; people can come in meanwhile. */
async function endCutTurns(chat: Chat, { storage, log, clock }: AppContext): Promise<void> {
  try {
    await markCutTurns({ turns: storage.turns, log: storage.log, clock, room: (name) => chat.anyRoom(name) })
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.error({ error, reason: error.reason }, 'turns that a crash cut off could not be ended')
  }
}

const toolLimits = ({ tools }: Config) => ({
  timeoutMs: tools.timeout_s * 1000,
  outputLines: 2000,
  outputBytes: 262_144,
})

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
    'later',
  )

const workspacesFor = ({ dataDir, sandbox }: Config, { log }: AppContext): Workspaces & AsyncDisposable =>
  createWorkspaces({
    root: join(dataDir, 'rooms'),
    searchEntry: paths.fileSearch,
    mapped: sandbox.workspaces,
    limits: { diskBytes: sandbox.disk_mb * 1024 * 1024 },
    mode: sandbox.mode,
    log,
  })

const approvalsFor = (config: Config, chat: Chat, context: AppContext, { answerMs }: Overrides): Approvals =>
  createApprovals({
    room: (name) => chat.anyRoom(name),
    grants: context.storage.grants,
    limits: {
      approvals_per_room: config.limits.approvals_per_room,
      ...(answerMs === undefined ? {} : { answer_ms: answerMs }),
    },
    clock: context.clock,
    log: context.log,
  })
