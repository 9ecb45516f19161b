import { test } from 'vitest'
import { listLua, readBundle } from '../../../src/wrap/lua/bundle.ts'
import { ENGINE_NAMES, openEngine } from '../../../src/wrap/lua/engines.ts'
import { paths } from '../../../src/base/paths.ts'
import {
  createToolbox,
  executeTools,
  WORKSPACE_TOOLS,
  type PermissionProvider,
  type Tool,
  type ToolboxOptions,
} from '../../../src/index.ts'
import type { LuaEngine } from '../../../src/wrap/ports.ts'
import type { ModelStage, Stage } from '../../support/stage.ts'
import type { AnyServer } from '../../support/server.ts'

/** What a seed requires, in a sentence, and the shortest proof of it on the product. */
export type Requirements = readonly (readonly [requirement: string, holds: () => Promise<void> | void])[]

/** Runs a table of requirements as tests, each under its sentence. */
export const tryAll = (requirements: Requirements): void =>
  test.each(requirements)('%s', async (_requirement, holds) => await holds())

/** The path of a fixture. */
export const fixture = (name: string): string => new URL(`fixtures/${name}`, import.meta.url).pathname

/** Calls one tool as a program does, and gives what a model would read. */
export async function callOne(
  tool: Tool,
  args: unknown = {},
  options: Omit<ToolboxOptions, 'tools'> = {},
): Promise<string> {
  const calls = [{ id: '1', name: tool.id, arguments: JSON.stringify(args) }]
  const replies = await executeTools(calls, { toolbox: createToolbox({ ...options, tools: [tool] }) })
  return replies[0]!.content
}

/** A bundled tool. */
export const bundled = (id: string): Tool => WORKSPACE_TOOLS.find((one) => one.id === id)!

/** A provider that allows everything. */
export const allowAll: PermissionProvider = { request: async () => 'allow' }

/** Opens every Lua engine there is. */
export async function openEngines(): Promise<readonly LuaEngine[]> {
  const bundle = await readBundle(listLua(paths.lua))
  const limits = { timeMs: 5000, memoryBytes: 64 * 1024 * 1024 }
  return await Promise.all(ENGINE_NAMES.map((name) => openEngine(name, bundle, limits)))
}

/** `ssh rhea@server WORDS…`; fails with what it wrote to standard error. */
export async function rhea(stage: Stage<AnyServer>, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await stage.as('rhea', words)
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: exit ${exitCode}: ${stderr}`)
  return stdout
}

/** The names of the tools in the newest request to the model. */
export const sentTools = ({ models }: ModelStage<AnyServer>): readonly string[] =>
  (models.requests.at(-1)!.body.tools ?? []).map((tool) => tool.function.name)

/** What the newest request to the model ends with: the reply to a call. */
export const lastReply = ({ models }: ModelStage<AnyServer>): unknown =>
  models.requests.at(-1)!.body.messages.at(-1)!.content
