import { shown } from './arguments.ts'
import { type JsonObject, stableJson } from '../base/json.ts'
import { failed, type ToolResult } from './results/result.ts'
import type { PermissionProvider, ToolContext } from './context.ts'
import type { Asked, Question, Tool } from './tool.ts'

/** The default: denies everything. */
export const denyAll: PermissionProvider = {
  request: async () => ({ why: 'nobody can be asked: the caller gave no permission provider' }),
}

/** A reason to abort a call or request. The message completes a sentence. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

export const cancelReason = ({ reason }: AbortSignal): string =>
  reason instanceof CancelledError ? reason.message : 'it was stopped'

export const stoppedText = (signal: AbortSignal): string =>
  `stopped before it was done${signal.reason instanceof CancelledError ? `: ${signal.reason.message}` : ''}`

/** Returns the question before a call by `name`. Rejects with the tool's error for wrong arguments. */
export async function questionFor(
  tool: Tool,
  args: JsonObject,
  context: ToolContext,
  name = tool.id,
): Promise<Asked> {
  const asked = await tool.asks?.(args, context)
  const isRead = tool.access === 'read'
  if (isRead && !context.permissions.asksToRead?.()) return 'nobody'
  if (asked && !isRead) return asked
  if (asked && asked !== 'nobody') return { ...asked, access: 'read' }
  const whole = stableJson(args)
  return { target: whole, detail: whole, asked: `use ${name} ${shown(args)}?` }
}

/** Resolves to undefined if the call was allowed. Grants are for `tool`, which for an alias is its target. */
export async function refusalOf(
  question: Question,
  tool: Pick<Tool, 'id' | 'access'>,
  context: ToolContext,
): Promise<ToolResult | undefined> {
  const { target, detail, asked, access = tool.access, onceOnly, answeredBy } = question
  const { turn } = context.chat
  const verdict = await context.permissions.request({
    requester: context.requester.person,
    room: context.room,
    signal: context.signal,
    tool: tool.id,
    access,
    ...(access !== tool.access && { toolAccess: tool.access }),
    target,
    detail,
    ...(onceOnly && { onceOnly }),
    ...(answeredBy && { answeredBy }),
    ...(turn && { turn: turn.id, model: turn.model }),
  })
  const why = denialReason(verdict)
  return why === undefined ? undefined : failed(`Permission denied: ${asked}${why && ` (${why})`}`)
}

/** Accepts any answer, because a provider may be untyped. */
function denialReason(verdict: unknown): string | undefined {
  if (verdict === 'allow') return undefined
  if (verdict === 'deny') return ''
  if (typeof verdict === 'object' && verdict !== null && 'why' in verdict && typeof verdict.why === 'string')
    return verdict.why
  return `the permission provider answered ${shown(verdict)}, which is neither 'allow' nor 'deny' nor { why }`
}
