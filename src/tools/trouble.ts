import { Refusal } from '../chat/errors.ts'
import { ArgumentError } from './arguments.ts'
import { WebError } from './ports/web.ts'
import { WorkspaceError } from './ports/workspace.ts'
import { failed, type ToolResult } from './tool.ts'

/** Errors whose message tells a model what to change. */
const TROUBLES = [ArgumentError, WorkspaceError, WebError, Refusal]

/** Runs a tool. An error that a model can do something about becomes a result; any other error is thrown. */
export async function withTrouble<T>(tool: string, run: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return await run()
  } catch (error) {
    const trouble = TROUBLES.some((kind) => error instanceof kind)
    if (trouble && error instanceof Error) return failed(`${tool}: ${error.message}`)
    throw error
  }
}
