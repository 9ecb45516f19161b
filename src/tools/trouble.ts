import { Refusal } from '../chat/errors.ts'
import { ArgumentError } from './arguments.ts'
import { WebError } from './ports/web.ts'
import { WorkspaceError } from './ports/workspace.ts'
import { failed, type ToolResult } from './tool.ts'

/** Errors whose message tells a model what to do. */
const TROUBLES = [ArgumentError, WorkspaceError, WebError, Refusal]

/** Runs a tool. Trouble that a model can do something about is a result under the tool's name; all else is thrown. */
export async function withTrouble(tool: string, run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run()
  } catch (error) {
    const trouble = TROUBLES.some((kind) => error instanceof kind)
    if (trouble && error instanceof Error) return failed(`${tool}: ${error.message}`)
    throw error
  }
}
