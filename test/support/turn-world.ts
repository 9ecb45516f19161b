import type { ByteQuota } from '../../src/chat/limits.ts'
import type { Entry } from '../../src/words/entry.ts'
import type { Json } from '../../src/base/json.ts'
import type { Workspace, ToolLimits } from '../../src/tools/workspace.ts'
import type { PermissionProvider, ToolContext } from '../../src/tools/context.ts'
import type { Tool, ToolSource } from '../../src/tools/tool.ts'
import { ok, type ToolResult } from '../../src/tools/results/result.ts'
import { createCatalogue } from '../../src/wrap/toolbox/catalogue.ts'
import type { TurnStore } from '../../src/turns/ports.ts'
import type { ConfiguredModel, LanguageModel } from '../../src/wrap/loop/model.ts'
import type { ModelConfig } from '../../src/models/providers.ts'
import {
  assembleSummaries,
  assembleTurns,
  createModelServices,
  type TurnAssembly,
} from '../../src/server/assemble-turns.ts'
import type { QuotaLimits } from '../../src/turns/billing.ts'
import { ToolRunner } from '../../src/wrap/toolbox/run-tool.ts'
import { createScopedTools } from '../../src/turns/scoped-tools.ts'
import { createToolboxes } from '../../src/turns/room-toolbox.ts'
import { RoomHooks } from '../../src/turns/hooks.ts'
import { Memories } from '../../src/turns/memory/memories.ts'
import type { RunningTurn } from '../../src/turns/turns.ts'
import { localComposer } from './composer.ts'
import { sampleConfig } from './model-request.ts'
import { say, scriptedModel } from './scripted-model.ts'
import { createChatParts } from './chat-parts.ts'

/** A room with a person and a model in it, over real parts; only the model is scripted. */
export type TurnWorld = Awaited<ReturnType<typeof createTurnWorld>>

export interface WorldOptions {
  readonly tools?: readonly Tool[]
  readonly group?: ToolSource['group']
  readonly settings?: Partial<ModelConfig>
  /** Further models, after the scripted one. */
  readonly more?: readonly ConfiguredModel[]
  readonly limits?: Partial<TurnAssembly['limits'] & QuotaLimits> & { readonly tools?: ToolLimits }
  readonly permissions?: PermissionProvider
  readonly disabled?: readonly string[]
  readonly summarizer?: string
  readonly bytes?: ByteQuota
  /** The room's files; without it, tools have none. */
  readonly workspace?: Workspace
  /** Changes the store of turns before anything uses it. */
  readonly withTurns?: (turns: TurnStore) => Partial<TurnStore>
}

/** For a world that limits nobody's bytes. */
export const UNCOUNTED: ByteQuota = { take() {}, charge() {} }

export async function createTurnWorld(model: LanguageModel, options: WorldOptions = {}) {
  const chatParts = await createChatParts()
  const { storage, rooms, peers, clock, log, nextId } = chatParts
  const composer = await localComposer()
  const room = await rooms.lobby()
  const ann = await chatParts.person('ann')
  const tools = [...(options.tools ?? [])]
  const source: ToolSource = {
    group: options.group ?? 'builtin',
    name: options.group ?? 'builtin',
    tools: () => tools,
  }
  const { tools: toolLimits = { timeoutMs: 60_000, outputLines: 2000, outputBytes: 262_144 }, ...limits } =
    options.limits ?? {}
  const { turns: turnStore } = storage.models
  const modelStores = { ...storage.models, turns: { ...turnStore, ...options.withTurns?.(turnStore) } }
  const catalogue = createCatalogue({ sources: [source], disabled: options.disabled ?? [], log })
  const scopedTools = createScopedTools(catalogue, storage.chat.rooms)
  const runner = new ToolRunner(toolLimits, log)
  const hooks = new RoomHooks({
    ...{ rooms: storage.chat.rooms, scripts: storage.prompts.scripts, composer, clock, log },
    room: (name) => rooms.anyRoom(name),
    modelNames: () => turns.names(),
    slots: peers.slots,
    sendWebhook: () => undefined,
    nextId,
  })
  chatParts.tap(hooks.onEntry)
  const bytes = options.bytes ?? UNCOUNTED
  const workspaces = { of: () => options.workspace ?? noWorkspace }
  const openToolbox = createToolboxes({
    scopedTools,
    runner,
    permissions: options.permissions ?? { request: async () => 'deny' },
    workspaces,
    results: storage.tools.results,
    bytes,
    clock,
    hooks,
  })
  const models: ConfiguredModel[] = [
    { settings: sampleConfig({ backend: 'guide', ...options.settings }), adapter: model },
    ...(options.more ?? []),
  ]
  const allLimits = {
    turns_per_room: 2,
    turns_queued: 8,
    turn_s: 600,
    turn_steps: 24,
    turn_depth: 2,
    pictures: 4,
    picture_mb: 5,
    panel_models: 5,
    panel_tokens: 200_000,
    personas_per_room: 3,
    tools_tokens: 6000,
    tokens_per_person_day: 0,
    tokens_per_room_day: 0,
    retryPauses: [0, 0],
    ...limits,
  }
  const services = createModelServices({
    models: () => models,
    stores: { models: modelStores },
    composer,
    limits: allLimits,
    context: { clock, log, nextId },
    slots: peers.slots,
    chargeBytes: bytes.charge,
  })
  const shared = { context: { clock, log }, stores: storage, models: services, composer, limits: allLimits }
  const tellAdmins = (text: string): void => void rooms.tellAdmins(text)
  const memories = new Memories({
    store: storage.prompts.memories,
    policy: () => ({ allow: {} }),
    limits: { memories_per_room: 3, memories_per_person: 3, memory_chars: 60 },
    clock,
  })
  const turns = assembleTurns({
    ...{ ...shared, hooks, memories, scopedTools, openToolbox, workspaces, tellAdmins },
  })
  const summaries = assembleSummaries({
    ...shared,
    anyRoom: (name) => rooms.anyRoom(name),
    usualSummarizer: () => options.summarizer,
  })
  const deltas: string[] = []
  const thoughts: string[] = []
  room.listen({
    deliver() {},
    stream: ({ text, thinking }) => void (thinking ? thoughts : deltas).push(text),
  })

  async function start(text = 'hello', { by = ann, model: name = 'qwen' } = {}): Promise<RunningTurn> {
    const said = await room.record({ kind: 'message', author: by.name, text: `@${name} ${text}` })
    return await turns.start({ room, requester: by, model: name, message: said })
  }
  const readLog = () => storage.chat.entries.read(room.name, { limit: 10_000 })

  return {
    chatParts,
    room,
    ann,
    turns,
    memories,
    /** All models that there are, the scripted one first; change the list at any time. */
    models,
    summaries,
    modelFacts: services.modelFacts,
    openToolbox,
    hooks,
    composer,
    /** The tools there are; change the list at any time. */
    tools,
    /** Pieces of replies as the room was shown them. */
    deltas,
    /** Pieces of what models think, likewise. */
    thoughts,
    /** Says something and starts the turn of a model. */
    start,
    /** Starts a turn and waits for its last entry. */
    ask: async (text?: string): Promise<Entry> => await (await start(text)).done,
    setScope: (scope: Json) => storage.chat.rooms.setValue(room.name, 'tool_scope', scope),
    log: readLog,
    /** The log as `kind: text` lines, without what was said to the model. */
    lines: async (): Promise<readonly string[]> =>
      (await readLog())
        .filter((entry) => entry.kind !== 'message')
        .map((entry) => `${entry.kind}: ${entry.text}`),
    async [Symbol.asyncDispose]() {
      await summaries[Symbol.asyncDispose]()
      await turns[Symbol.asyncDispose]()
      await hooks[Symbol.asyncDispose]()
      await composer[Symbol.asyncDispose]()
    },
  }
}

/** A workspace for tools that use none. */
const noWorkspace: Workspace = {
  readText: () => Promise.reject(new Error('this tool has no files')),
  readPicture: () => Promise.reject(new Error('this tool has no files')),
  checkDirectory: () => Promise.reject(new Error('this tool has no files')),
  checkChange: () => Promise.reject(new Error('this tool has no files')),
  changeText: () => Promise.reject(new Error('this tool has no files')),
  findFiles: () => Promise.reject(new Error('this tool has no files')),
  searchText: () => Promise.reject(new Error('this tool has no files')),
  placeOf: () => Promise.resolve(undefined),
  run: () => Promise.reject(new Error('this tool has no commands')),
}

/** A tool with this work; it answers with its arguments as JSON when none is given. */
export function tool(
  id: string,
  run: (args: unknown, context: ToolContext) => Promise<ToolResult> | ToolResult = (args) =>
    ok(JSON.stringify(args)),
  change: Partial<Tool> = {},
): Tool {
  return {
    id,
    title: id,
    description: `Does ${id}.`,
    schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
    access: 'read',
    run: async (args, context) => await run(args, context),
    ...change,
  }
}

/** A secret that a model's configuration has, and that nothing else may show. */
export const SECRET_KEY = 'sk-never-shown-anywhere'

/** A further model of a world, which says its name. */
export const anotherModel = (name: string, change: object = {}): ConfiguredModel => ({
  settings: sampleConfig({ name, backend: 'guide', apiKey: SECRET_KEY, ...change }),
  adapter: scriptedModel(say(`I am ${name}`)),
})
