import { availableParallelism } from 'node:os'
import { createComposer, type PoolComposer } from '../wrap/lua/index.ts'
import type { DescribedCommand } from '../models/index.ts'
import { createWorkspaces, type RoomWorkspaces } from '../sandbox/index.ts'
import { Outgoing } from '../web/index.ts'
import type { RoomName } from '../words/entry.ts'
import { createByteQuota, type Peers, type Room, type Rooms } from '../chat/index.ts'
import type { CommandGroup } from '../commands/index.ts'
import type { Config } from './config/config.ts'
import { ownRoomsDir } from './config/directories.ts'
import type { Log } from '../base/environment.ts'
import { OUTPUT_LIMITS, type ToolLimits } from '../tools/index.ts'
import { paths } from '../base/paths.ts'
import {
  RoomHooks,
  type RoomHooksParts,
  createToolboxes,
  ToolRuns,
  type InterruptedTurns,
} from '../turns/index.ts'
import { Approvals } from '../turns/approvals/index.ts'
import { Memories } from '../turns/memory/index.ts'
import type { Reminders } from '../turns/room-tools/index.ts'
import { ToolRunner } from '../wrap/toolbox/index.ts'
import { assembleSummaries, assembleTurns, configuredModels, createModelServices } from './assemble-turns.ts'
import type { AppContext, Overrides, TakeOwnership } from './context.ts'
import type { CurrentConfig } from './current-config.ts'
import { createKeeping } from './keeping.ts'
import { describeCommands, guidePlace } from './guide-place.ts'
import { meteredComposer } from './metering.ts'
import { openToolkit } from './tools/open-toolkit.ts'
import { createSendWebhook } from './webhooks.ts'
import type { Work } from '../visits/index.ts'

export type Activity = Awaited<ReturnType<typeof createActivity>>

export interface ActivityParts {
  readonly context: AppContext
  readonly peers: Peers
  readonly interrupted: Pick<InterruptedTurns, 'endLost'>
}

/** Opens the models, the tools, and the turns and runs that use them. */
export async function createActivity(
  current: CurrentConfig,
  rooms: Rooms,
  { context, peers, interrupted }: ActivityParts,
  overrides: Overrides,
  owned: TakeOwnership,
) {
  const { storage, log, clock, nextId } = context
  const { limits } = current
  const room = (name: RoomName): Promise<Room | undefined> => rooms.anyRoom(name)
  // A composer in `overrides` is not disposed of with the server.
  const ownComposer = overrides.composer ?? owned(composerFor(current.now(), log))
  const composer = meteredComposer(ownComposer, context.meter)
  const workspaces = owned(workspacesFor(current.now(), log))
  const memories = createMemories(current, context)
  let reminders: Reminders | undefined
  const internal = { memories, reminders: () => reminders }
  const { tools, mcp, scopedTools } = await openToolkit(current, rooms, context, owned, internal)
  const approvals = createApprovals(current, { room, questions: peers.questions }, context, overrides)
  let commands: readonly DescribedCommand[] = []
  const place = guidePlace(current, () => commands)
  const models = configuredModels(current, overrides, place, context.meter)
  const outgoing = owned(new Outgoing(log))
  const sendWebhook = createSendWebhook(current, outgoing)
  const modelNames = () => models().map(({ settings }) => settings.name)
  const hooks = owned(createHooks({ room, modelNames, slots: peers.slots, sendWebhook, composer }, context))
  const bytes = createByteQuota(limits, clock, peers.serversOf)
  const openToolbox = createToolboxes({
    runner: new ToolRunner(toolLimits(current), log),
    permissions: approvals,
    results: storage.tools.results,
    scopedTools,
    workspaces,
    bytes,
    clock,
    hooks,
  })
  const runs = owned(new ToolRuns(openToolbox, nextId, clock, peers.slots))
  const services = createModelServices({
    models,
    composer,
    limits,
    context,
    stores: storage,
    slots: peers.slots,
    chargeBytes: bytes.charge,
    lostTurn: (turn) => void interrupted.endLost(turn),
  })
  const shared = { context, stores: storage, composer, limits, models: services }
  const tellAdmins = (text: string): void => void rooms.tellAdmins(text)
  const turns = owned(
    assembleTurns({ ...shared, scopedTools, openToolbox, workspaces, hooks, memories, tellAdmins }),
  )
  const usualSummarizer = () => current.now().memory.summarizer
  const summaries = owned(assembleSummaries({ ...shared, anyRoom: room, usualSummarizer }))
  const keeping = owned(createKeeping(current, context))
  const work: Work = { runs, turns, summaries }
  /** Sets the commands that @guide explains. They are created later than the activity, which they need. */
  const describe = (groups: readonly CommandGroup[]): void => void (commands = describeCommands(groups))
  /** Sets what makes reminders, which needs the turns of this activity. */
  const remindWith = (made: Reminders): void => void (reminders = made)
  const { checkQuotas } = services
  return {
    work,
    approvals,
    bytes,
    workspaces,
    tools,
    mcp,
    hooks,
    keeping,
    outgoing,
    memories,
    composer,
    checkQuotas,
    describe,
    remindWith,
  }
}

const createApprovals = (
  current: CurrentConfig,
  shared: Pick<ConstructorParameters<typeof Approvals>[0], 'room' | 'questions'>,
  { storage, clock, log }: AppContext,
  { answerMs }: Overrides,
): Approvals =>
  new Approvals({
    ...shared,
    rules: () => current.now().tools.allow,
    limits: current.limits,
    grants: storage.tools.grants,
    answerMs,
    clock,
    log,
  })

const createMemories = (current: CurrentConfig, { storage, clock }: AppContext): Memories =>
  new Memories({
    store: storage.prompts.memories,
    policy: () => current.now().routines,
    limits: current.limits,
    clock,
  })

const createHooks = (
  parts: Omit<RoomHooksParts, 'rooms' | 'scripts' | 'nextId' | 'clock' | 'log'>,
  { storage, nextId, clock, log }: AppContext,
): RoomHooks =>
  new RoomHooks({
    ...parts,
    rooms: storage.chat.rooms,
    scripts: storage.prompts.scripts,
    nextId,
    clock,
    log,
  })

const toolLimits = (current: CurrentConfig): ToolLimits => ({
  get timeoutMs() {
    return current.now().tools.timeout_s * 1000
  },
  ...OUTPUT_LIMITS,
  get pictureBytes() {
    return current.limits.picture_mb * 1024 * 1024
  },
})

/** True if prompts will be composed: @guide needs none. */
export const hasModels = ({ models }: Pick<Config, 'models'>): boolean =>
  models.some(({ backend }) => backend !== 'guide')

const composerFor = ({ lua, models }: Config, log: Log): PoolComposer =>
  createComposer(
    {
      entry: paths.wrapProcess,
      packageRoot: paths.root,
      engine: lua.engine,
      encodings: [...new Set(models.map((model) => model.encoding))],
      size: Math.max(2, availableParallelism()),
      log,
    },
    hasModels({ models }) ? 'now' : 'later',
  )

const workspacesFor = ({ dataDir, sandbox }: Config, log: Log): RoomWorkspaces =>
  createWorkspaces({
    root: sandbox.rooms_dir,
    isShared: sandbox.rooms_dir !== ownRoomsDir(dataDir),
    searchEntry: paths.fileSearch,
    mapped: sandbox.workspaces,
    limits: { diskBytes: sandbox.disk_mb * 1024 * 1024, memoryBytes: sandbox.memory_mb * 1024 * 1024 },
    mode: sandbox.mode,
    log,
  })
