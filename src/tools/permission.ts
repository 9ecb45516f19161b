import { failed, type Access, type ToolContext, type ToolResult } from './tool.ts'

/** What somebody is asked to allow. */
export interface Question {
  readonly tool: string
  readonly access: Access
  /** What a grant would be for. */
  readonly target: string
  /** Everything that a person must see to decide, in full. */
  readonly detail: string
  /** As the refusal repeats it: `run 'rm -rf build'?` */
  readonly asked: string
  readonly onceOnly?: boolean
}

/** Asks for permission, then runs the tool. Where permission is denied, the result says so. */
export async function withPermission(
  context: ToolContext,
  question: Question,
  run: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const { tool, access, target, detail, onceOnly } = question
  const verdict = await context.permissions.request({
    requester: context.requester.person,
    room: context.room,
    signal: context.signal,
    tool,
    access,
    target,
    detail,
    ...(onceOnly ? { onceOnly } : {}),
    ...(context.turn ? { turn: context.turn.id, model: context.turn.model } : {}),
  })
  return verdict === 'allow' ? run() : failed(`Permission denied: ${question.asked}`)
}
