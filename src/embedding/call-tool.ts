import type { JsonObject } from '../lib/json.ts'
import type { PermissionProvider, ToolContext } from '../tools/context.ts'
import { denyAll, questionFor, refusalOf } from '../tools/permission.ts'
import { withTrouble, type ToolResult } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'
import { contextOf, DEFAULT_LIMITS, type ProgramChat, type ProgramContext } from './context.ts'

/** The parts of a context that a program makes. Every part may be left out. */
export interface ContextOptions extends Omit<ProgramContext, 'log'> {
  /** Asked before a tool does more than read; `denyAll` when absent. */
  readonly permissions?: PermissionProvider
  readonly chat?: ProgramChat
  /** Aborted to stop the call; never when absent. */
  readonly signal?: AbortSignal
}

/** Makes a context for tools that a program calls by itself. */
export function createContext({
  permissions = denyAll,
  chat = {},
  signal = new AbortController().signal,
  limits = DEFAULT_LIMITS,
  ...context
}: ContextOptions = {}): ToolContext {
  return { ...contextOf(context, permissions, chat), signal, limits }
}

/**
 * Asks if that is needed, and runs a call, for a caller that has no limits of its own to keep. A part that
 * the context lacks is that of `createContext()`: with `{}` nothing runs that must be asked.
 */
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

/** Each part is taken by its name: an object of a class has methods that a copy would not have. */
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
