/**
 * The files and commands of a room: a port, as are web.ts, long-results.ts and mcp-pins.ts. Their comments
 * are their contracts, and their exams are in test/contract.
 */
import type { ToolLimits } from './context.ts'

/** The workspace refused something; the message tells the model what and why. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

/** The part of a text file that was asked for. */
export interface FileSlice {
  /** The lines asked for, as they are: with their own line ends and a byte order mark. */
  readonly text: string
  /** Number of the first line given, 1-based. */
  readonly firstLine: number
  /** Lines in the whole file. */
  readonly totalLines: number
}

/** What came of a process. */
export interface ProcessOutcome {
  /** Standard output and error, as they came, cut at the limits with a notice, invalid UTF-8 replaced. */
  readonly output: string
  /** Absent when a signal ended it. */
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut: boolean
  /** What to read before the output: why the workspace ended it, or which limit it met. */
  readonly notice?: string
}

/** A process to run: either argv, without a shell, or one line for `/bin/sh -c`. */
export type ProcessSpec = ({ readonly argv: readonly string[] } | { readonly shell: string }) & {
  /** Relative to the workspace, which is the default. */
  readonly cwd?: string
  /** Off unless true. */
  readonly network?: boolean
  /** The workspace cannot be written, where the sandbox can see to it. */
  readonly readOnly?: boolean
}

/** Which files are wanted. */
export interface FileQuery {
  /**
   * `*`, `?` and `[…]` stop at `/`, `**` does not; `{a,b}`. Without `/` it is for the name, in any directory.
   */
  readonly pattern: string
  /** Where to look, and what the pattern is relative to; the whole workspace when absent. */
  readonly path?: string
}

/** What was found; `cut` says what was left out, and is empty where nothing was. */
export interface FoundFiles {
  /** Relative to the workspace, in order. */
  readonly paths: readonly string[]
  readonly cut: string
}

/** Which lines are wanted. */
export interface TextQuery {
  /** A regular expression in the syntax of RE2, unless it is `literal`. */
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  /** A directory or a file; the whole workspace when absent. */
  readonly path?: string
  /** Only files that fit, as in a `FileQuery`. */
  readonly glob?: string
  /** Lines before and after each that are given with it. */
  readonly context: number
}

/** One line of a file. */
export interface FoundLine {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** Without its line end; cut where it is very long. */
  readonly text: string
  /** False for a line that is only near one that matches. */
  readonly matches: boolean
}

/** What was found; `cut` says what was left out, and is empty where nothing was. */
export interface FoundText {
  readonly lines: readonly FoundLine[]
  /** Files that were read. */
  readonly files: number
  /** Files that are not text, or may not be read. */
  readonly skipped: number
  readonly cut: string
}

/**
 * The only part of the machine that a tool can reach: one room's directory, and commands that run in
 * the sandbox around it. Paths are relative to it (or absolute inside it) and are checked by real path:
 * `..`, symlinks that lead out, devices and FIFOs are refused with `WorkspaceError`.
 */
export interface Workspace {
  /** True where commands run without a sandbox; a person who is asked to allow one must be told. */
  readonly unsandboxed?: boolean
  /** Throws `WorkspaceError`: not found, outside, not a regular file, too large, not text. */
  readText(path: string, lines?: { readonly first?: number; readonly last?: number }): Promise<FileSlice>
  /** Throws `WorkspaceError` where `run` would refuse this `cwd`. */
  checkDirectory(path: string): Promise<void>
  /** Throws `WorkspaceError` where `changeText` would, whatever the new text. */
  checkChange(path: string): Promise<void>
  /**
   * Replaces the text of a file as a whole, or makes the file and the directories on its way; `change` gets
   * the old text, undefined for a new file. One change after the other; a copy of the old text is kept.
   * Throws `WorkspaceError` as `readText` does, and what `change` throws; then nothing is changed.
   */
  changeText(
    path: string,
    change: (old: string | undefined) => string,
  ): Promise<{ readonly created: boolean }>
  /**
   * Finds regular files; links are not followed. Takes a bounded time, whatever the pattern. Rejects with
   * `WorkspaceError`: a path that is missing or outside, a pattern that is wrong, a search that takes too
   * much.
   */
  findFiles(query: FileQuery, signal: AbortSignal): Promise<FoundFiles>
  /** Finds lines in text files; as `findFiles`. */
  searchText(query: TextQuery, signal: AbortSignal): Promise<FoundText>
  /**
   * Where `path` leads, followed through every symlink, relative to the top and without `.` and `..`; empty
   * for the top. What does not exist yet is as it would be made. Undefined for what leads outside, and for
   * what cannot be followed.
   */
  placeOf(path: string): Promise<string | undefined>
  /**
   * Runs in the sandbox with the workspace as its directory; everything it started is gone when this
   * resolves. Rejects with `WorkspaceError` when the sandbox does not work.
   */
  run(spec: ProcessSpec, limits: ToolLimits, signal: AbortSignal): Promise<ProcessOutcome>
}

/** Gives each room its workspace; made on first use. */
export interface Workspaces {
  of(room: string): Workspace
}
