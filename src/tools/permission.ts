import { shown } from './arguments.ts'
import { stableJson } from '../lib/stable-json.ts'
import type { JsonObject } from '../lib/json.ts'
import { withTrouble } from './trouble.ts'
import {
  failed,
  type Asked,
  type PermissionProvider,
  type Question,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.ts'

/** The provider of a caller that has none: whatever does more than read is refused. */
export const denyAll: PermissionProvider = {
  request: async () => ({ why: 'nobody can be asked: the caller gave no permission provider' }),
}

/** Why nobody needs to answer any more, in words that end a sentence: a request's signal is aborted with it. */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
}

/** Why the signal of a request was aborted. */
export const whyWithdrawn = ({ reason }: AbortSignal): string =>
  reason instanceof Withdrawn ? reason.message : 'it was stopped'

/**
 * What must be asked before a call of a tool may run. A tool that does not say it is asked for with all of its arguments.
 * Rejects with what the tool throws: then the call is wrong, and nobody is asked.
 */
export async function questionFor(tool: Tool, args: JsonObject, context: ToolContext): Promise<Asked> {
  if (tool.access === 'read') return 'nobody'
  return (await tool.asks?.(args, context)) ?? wholeCall(tool, args)
}

const wholeCall = ({ id }: Tool, args: JsonObject): Question => ({
  target: stableJson(args),
  detail: `${id} ${JSON.stringify(args)}`,
  asked: `use ${id} ${shown(args)}?`,
})

/**
 * Asks, and waits for the answer. Undefined if it was allowed, else the result that says why not. `tool` is what grants
 * are kept for: an alias is asked for as the tool that it stands for.
 */
export async function refusalOf(
  question: Question,
  tool: Pick<Tool, 'id' | 'access'>,
  context: ToolContext,
): Promise<ToolResult | undefined> {
  const { target, detail, asked, access = tool.access, onceOnly } = question
  const { turn } = context.chat
  const verdict = await context.permissions.request({
    requester: context.requester.person,
    room: context.room,
    signal: context.signal,
    tool: tool.id,
    access,
    target,
    detail,
    ...(onceOnly ? { onceOnly } : {}),
    ...(turn ? { turn: turn.id, model: turn.model } : {}),
  })
  if (verdict === 'allow') return undefined
  return failed(`Permission denied: ${asked}${verdict === 'deny' ? '' : ` (${verdict.why})`}`)
}

/** Asks if that is needed, and runs a call: for a caller that has no limits of its own to keep. */
export async function callTool(tool: Tool, args: JsonObject, context: ToolContext): Promise<ToolResult> {
  return await withTrouble(tool.id, async () => {
    const question = await questionFor(tool, args, context)
    const refusal = question === 'nobody' ? undefined : await refusalOf(question, tool, context)
    return refusal ?? (await tool.run(args, context))
  })
}
