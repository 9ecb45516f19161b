import type { ToolLimits } from './context.ts'

/** The message is for the model. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

export interface FileSlice {
  /** With its own line ends and a byte order mark. */
  readonly text: string
  /** From 1. */
  readonly firstLine: number
  readonly totalLines: number
}

export interface ProcessOutcome {
  /** Standard output and error, cut at the limits with a notice, invalid UTF-8 replaced. */
  readonly output: string
  /** Absent if a signal ended it. */
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut: boolean
  /** Why the workspace ended it, or which limit it met. */
  readonly notice?: string
}

/** Argv without a shell, or one line for `/bin/sh -c`. */
export type ProcessSpec = ({ readonly argv: readonly string[] } | { readonly shell: string }) & {
  /** Relative to the workspace, which is the default. */
  readonly cwd?: string
  /** Off unless true. */
  readonly network?: boolean
  /** The workspace cannot be written, if there is a sandbox. */
  readonly readOnly?: boolean
}

export interface FileQuery {
  /** `*`, `?` and `[…]` stop at `/`, `**` does not; `{a,b}`. Without `/` it is for the name alone. */
  readonly pattern: string
  /** The pattern is relative to it; the whole workspace when absent. */
  readonly path?: string
}

/** `cut` says what was left out, and is empty if nothing was. */
export interface FoundFiles {
  /** Relative to the workspace, in order. */
  readonly paths: readonly string[]
  readonly cut: string
}

export interface TextQuery {
  /** A regular expression in the syntax of RE2, unless it is `literal`. */
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  /** A directory or a file; the whole workspace when absent. */
  readonly path?: string
  /** The files, as in a `FileQuery`. */
  readonly glob?: string
  /** Lines before and after each match. */
  readonly context: number
}

export interface FoundLine {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** Without its line end; cut if it is very long. */
  readonly text: string
  /** False for a line of the context. */
  readonly matches: boolean
}

export interface FoundText {
  readonly lines: readonly FoundLine[]
  readonly files: number
  /** Files that are not text, or may not be read. */
  readonly skipped: number
  /** As in `FoundFiles`. */
  readonly cut: string
}

/**
 * The only part of the machine that a tool can reach: one room's directory, and commands in the sandbox
 * around it. Paths are relative to it or absolute inside it, and checked by real path: `..`, symlinks that
 * lead out, devices and FIFOs are refused with `WorkspaceError`.
 */
export interface Workspace {
  /** True if commands run without a sandbox. */
  readonly unsandboxed?: boolean
  /** Throws `WorkspaceError`: not found, outside, not a regular file, too large, not text. */
  readText(path: string, lines?: { readonly first?: number; readonly last?: number }): Promise<FileSlice>
  /** Throws `WorkspaceError` if `run` would refuse this `cwd`. */
  checkDirectory(path: string): Promise<void>
  /** Throws `WorkspaceError` if `changeText` would for any new text. */
  checkChange(path: string): Promise<void>
  /**
   * Replaces a whole file, or makes it with its directories; `change` gets the old text, undefined for a new
   * file. One change after the other; a copy of the old text is kept. Throws `WorkspaceError` as `readText`
   * does, and what `change` throws; then nothing is changed.
   */
  changeText(
    path: string,
    change: (old: string | undefined) => string,
  ): Promise<{ readonly created: boolean }>
  /**
   * Finds regular files in a bounded time; links are not followed. Rejects with `WorkspaceError`: a bad path
   * or pattern, or a search that takes too much.
   */
  findFiles(query: FileQuery, signal: AbortSignal): Promise<FoundFiles>
  /** Finds lines in text files; as `findFiles`. */
  searchText(query: TextQuery, signal: AbortSignal): Promise<FoundText>
  /**
   * Follows a path through every symlink, also to a file that does not exist yet. Relative, without `.` and
   * `..`; empty for the top. Undefined if it leads outside or cannot be followed.
   */
  placeOf(path: string): Promise<string | undefined>
  /**
   * Runs in the sandbox with the workspace as its directory; everything it started is gone when this
   * resolves. Rejects with `WorkspaceError` when the sandbox does not work.
   */
  run(spec: ProcessSpec, limits: ToolLimits, signal: AbortSignal): Promise<ProcessOutcome>
}

export interface Workspaces {
  of(room: string): Workspace
}
