import type { JsonObject } from '../../base/json.ts'
import {
  type PermissionProvider,
  type ToolContext,
  denyAll,
  questionFor,
  refusalOf,
  type Tool,
} from '../../tools/index.ts'
import { withTrouble, type ToolResult } from '../../tools/results/index.ts'
import { contextOf, DEFAULT_LIMITS, type ProgramChat, type ProgramContext } from './context.ts'

export interface ContextOptions extends Omit<ProgramContext, 'log'> {
  /** Default: `denyAll`. */
  readonly permissions?: PermissionProvider
  readonly chat?: ProgramChat
  /** Aborting it stops the call. */
  readonly signal?: AbortSignal
}

/** Creates the context of a tool that a program calls itself. */
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
 * Asks for permission if needed, and runs a call. Defaults are those of `createContext()`: with `{}`, calls
 * that need permission are denied.
 */
export async function callTool(
  tool: Tool,
  args: JsonObject = {},
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const whole = withDefaults(context)
  return await withTrouble(tool.id, async () => {
    const question = await questionFor(tool, args, whole)
    const refusal = question === 'nobody' ? undefined : await refusalOf(question, tool, whole)
    return refusal ?? (await tool.run(args, whole))
  })
}

/** Copies by name, because spreading would lose a class's methods. */
function withDefaults(given: Partial<ToolContext>): ToolContext {
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
