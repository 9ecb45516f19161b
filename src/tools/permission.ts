import { shown } from './arguments.ts'
import { type JsonObject, stableJson } from '../lib/json.ts'
import { failed, type ToolResult } from './result.ts'
import type { PermissionProvider, ToolContext } from './context.ts'
import type { Asked, Question, Tool } from './tool.ts'

/** The provider of a caller that has none: whatever does more than read is refused. */
export const denyAll: PermissionProvider = {
  request: async () => ({ why: 'nobody can be asked: the caller gave no permission provider' }),
}

/**
 * Why nobody needs a call or an answer any more, in words that end a sentence: the signal of the call, or of
 * a request, is aborted with it.
 */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn'
}

/** Why the signal of a request was aborted. */
export const whyWithdrawn = ({ reason }: AbortSignal): string =>
  reason instanceof Withdrawn ? reason.message : 'it was stopped'

/** What a call says whose signal was aborted: with the reason, where there is one to tell. */
export const stoppedText = (signal: AbortSignal): string =>
  `stopped before it was done${signal.reason instanceof Withdrawn ? `: ${signal.reason.message}` : ''}`

/**
 * What must be asked before a call of a tool may run. A tool that does not say it is asked for with all of
 * its arguments. `name` is what the tool was called by. Rejects with what the tool throws: then the call is
 * wrong, and nobody is asked.
 */
export async function questionFor(
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
  name = tool.id,
): Promise<Asked> {
  const asked = await tool.asks?.(args, context)
  if (tool.access === 'read') return 'nobody'
  return asked ?? wholeCall(name, args)
}

/** The question names the tool, so that its arguments are all that is left to say. */
function wholeCall(name: string, args: JsonObject): Question {
  const whole = stableJson(args)
  return { target: whole, detail: whole, asked: `use ${name} ${shown(args)}?` }
}

/**
 * Asks, and waits for the answer. Undefined if it was allowed, else the result that says why not. `tool` is
 * what grants are kept for: an alias is asked for as the tool that it stands for.
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
  const why = whyNot(verdict)
  return why === undefined ? undefined : failed(`Permission denied: ${asked}${why && ` (${why})`}`)
}

/**
 * Why it is not allowed, which may be empty; undefined where it is. A provider written without types may
 * answer anything.
 */
function whyNot(verdict: unknown): string | undefined {
  if (verdict === 'allow') return undefined
  if (verdict === 'deny') return ''
  if (typeof verdict === 'object' && verdict !== null && 'why' in verdict && typeof verdict.why === 'string')
    return verdict.why
  return `the permission provider answered ${shown(verdict)}, which is neither 'allow' nor 'deny' nor { why }`
}
