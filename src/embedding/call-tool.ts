import type { JsonObject } from '../lib/json.ts'
import type { PermissionProvider, ToolContext } from '../tools/context.ts'
import { denyAll, questionFor, refusalOf } from '../tools/permission.ts'
import { withTrouble, type ToolResult } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'
import { contextOf, DEFAULT_LIMITS, type ProgramChat, type ProgramContext } from './context.ts'

export interface ContextOptions extends Omit<ProgramContext, 'log'> {
  /** `denyAll` when absent. */
  readonly permissions?: PermissionProvider
  readonly chat?: ProgramChat
  /** Aborted to stop the call; never when absent. */
  readonly signal?: AbortSignal
}

/** For tools that a program calls by itself. */
export function createContext({
  permissions = denyAll,
  chat = {},
  signal = new AbortController().signal,
  limits = DEFAULT_LIMITS,
  ...context
}: ContextOptions = {}): ToolContext {
  return { ...contextOf(context, permissions, chat), signal, limits }
}

/** Asks if it must, and runs a call. Absent parts are those of `createContext()`: with `{}` nothing runs that must ask. */
export async function callTool(
  tool: Tool,
  args: JsonObject = {},
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const whole = completed(context)
  return await withTrouble(tool.id, async () => {
    const question = await questionFor(tool, args, whole)
    const refusal = question === 'nobody' ? undefined : await refusalOf(question, tool, whole)
    return refusal ?? (await tool.run(args, whole))
  })
}

/** By name: a copy would lack the methods of a class. */
function completed(given: Partial<ToolContext>): ToolContext {
  const usual = createContext()
  return {
    room: given.room ?? usual.room,
    requester: given.requester ?? usual.requester,
    chat: given.chat ?? usual.chat,
    workspace: given.workspace ?? usual.workspace,
    permissions: given.permissions ?? usual.permissions,
    addMessage: (entry) => given.addMessage?.(entry) ?? usual.addMessage(entry),
    ...(given.progress ? { progress: (progress) => given.progress?.(progress) } : {}),
    signal: given.signal ?? usual.signal,
    limits: given.limits ?? usual.limits,
  }
}
