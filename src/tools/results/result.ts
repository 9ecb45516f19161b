import { Refusal, WorkspaceError } from '../../words/errors.ts'
import type { Picture } from '../../words/picture.ts'
import type { OutsideSource } from '../../words/outside.ts'
import { errorMessage } from '../../base/errors.ts'
import { ArgumentError } from '../arguments.ts'
import { WebError } from '../web.ts'

/** For the caller. A text that begins with `ERROR:` is an error, too. */
export interface ToolResult {
  readonly content: string
  readonly isError: boolean
  /** Present if strangers wrote a part, which a model reads between marks. */
  readonly outside?: OutsideSource
  /** True for a page of a long result, which is sanitized and short already. */
  readonly isPage?: true
  /** Shown to a model that takes pictures, beside `content`. */
  readonly pictures?: readonly Picture[]
  /** The text that the log keeps instead of `content`, which later readers of the room may not read. */
  readonly logged?: string
}

export const ok = (content: string): ToolResult => ({ content, isError: false })

export const failed = (message: string): ToolResult => ({
  content: message.startsWith('ERROR:') ? message : `ERROR: ${message}`,
  isError: true,
})

/** Errors whose message tells a model what to change. */
const TROUBLES = [ArgumentError, WorkspaceError, WebError, Refusal]

export function renamedTrouble(result: ToolResult, from: string, to: string): ToolResult {
  const prefix = `ERROR: ${from}: `
  if (!result.isError || !result.content.startsWith(prefix)) return result
  return { ...result, content: `ERROR: ${to}: ${result.content.slice(prefix.length)}` }
}

/** Turns errors that a model can act on into results; throws others. */
export async function withTrouble<T>(tool: string, run: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return await run()
  } catch (error) {
    if (TROUBLES.some((kind) => error instanceof kind)) return failed(`${tool}: ${errorMessage(error)}`)
    throw error
  }
}
