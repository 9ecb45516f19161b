import { Refusal } from '../chat/errors.ts'
import type { Outside } from '../chat/outside.ts'
import { ArgumentError } from './arguments.ts'
import { WebError } from './web.ts'
import { WorkspaceError } from './workspace.ts'

/** What the caller reads. Text of our own that begins with `ERROR:` is an error as well. */
export interface ToolResult {
  readonly content: string
  readonly isError: boolean
  /** Present if strangers wrote a part of it: a model reads that between marks. */
  readonly outside?: Outside
  /** True for a page of a long result. It is clean and short already, so it is passed on unchanged. */
  readonly isPage?: true
}

/** A successful result. */
export const ok = (content: string): ToolResult => ({ content, isError: false })

/** A failed result in the form a model reads: `ERROR: …`. */
export const failed = (message: string): ToolResult => ({
  content: message.startsWith('ERROR:') ? message : `ERROR: ${message}`,
  isError: true,
})

/** Errors whose message tells a model what to change. */
const TROUBLES = [ArgumentError, WorkspaceError, WebError, Refusal]

/**
 * A result whose error names the tool `from`, with the name `to` in its place. Other results stay as they
 * are.
 */
export function renamedTrouble(result: ToolResult, from: string, to: string): ToolResult {
  const prefix = `ERROR: ${from}: `
  if (!result.isError || !result.content.startsWith(prefix)) return result
  return { ...result, content: `ERROR: ${to}: ${result.content.slice(prefix.length)}` }
}

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
