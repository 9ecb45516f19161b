import type { FileAuthor } from './kept-files.ts'
import type { FileNote } from '../words/entry.ts'
import type { Picture } from '../words/picture.ts'

export interface ToolLimits {
  readonly timeoutMs: number
  readonly outputLines: number
  readonly outputBytes: number
  /** The most bytes of a picture that a model looks at. */
  readonly pictureBytes?: number
}

/** Limits of a command's output. */
export const OUTPUT_LIMITS = { outputLines: 2_000, outputBytes: 262_144 } as const

export interface FileSlice {
  /** The text with its line ends and byte order mark. */
  readonly text: string
  /** From 1. */
  readonly firstLine: number
  readonly totalLines: number
}

export interface ProcessOutcome {
  /** Standard output and error, cut at the limits with a notice, invalid UTF-8 replaced. */
  readonly output: string
  /** Absent if a signal ended the process. */
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut: boolean
  /** The reason why the workspace ended the process, or the limit that the output reached. */
  readonly notice?: string
}

/** Argv without a shell, or one line for `/bin/sh -c`. */
export type ProcessSpec = ({ readonly argv: readonly string[] } | { readonly shell: string }) & {
  /** Relative to the workspace, which is the default. */
  readonly cwd?: string
  /** True if the process has network access. */
  readonly network?: boolean
  /** If there is a sandbox, the workspace is read-only. */
  readonly readOnly?: boolean
}

export interface FileQuery {
  /**
   * A glob: `*`, `?` and `[…]` do not match `/`, but `**` does; `{a,b}`. Without `/` it matches names only.
   */
  readonly pattern: string
  /** The pattern's base; default: the whole workspace. */
  readonly path?: string
}

/** `cut` says what was omitted; empty if nothing was. */
export interface FoundFiles {
  /** Relative to the workspace, sorted. */
  readonly paths: readonly string[]
  readonly cut: string
}

export interface TextQuery {
  /** A regular expression in the syntax of RE2, unless it is `literal`. */
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  /** A directory or file; default: the whole workspace. */
  readonly path?: string
  /** Files to search, as in a `FileQuery`. */
  readonly glob?: string
  /** Lines before and after each match. */
  readonly context: number
}

export interface FoundLine {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** Without line end; cut if it is very long. */
  readonly text: string
  /** False for a context line. */
  readonly matches: boolean
}

export interface FoundText {
  readonly lines: readonly FoundLine[]
  readonly files: number
  /** Files that are not text, or are unreadable. */
  readonly skipped: number
  /** As in `FoundFiles`. */
  readonly cut: string
}

/**
 * The only part of the machine that a tool can reach: a room's directory, and commands in the sandbox around
 * it. Paths are relative to it or absolute inside it, and checked by real path: `..`, symlinks that lead out,
 * devices and FIFOs are refused with `WorkspaceError`.
 */
export interface Workspace {
  /** True if commands run without a sandbox. */
  readonly unsandboxed?: boolean
  /** Throws `WorkspaceError`: not found, outside, not a regular file, too large, not text. */
  readText(path: string, lines?: { readonly first?: number; readonly last?: number }): Promise<FileSlice>
  /**
   * Reads a PNG, JPEG, WebP or GIF without its metadata. Throws `WorkspaceError` as `readText` does, and for
   * a picture that is damaged, or whose measures are too large.
   */
  readPicture(path: string, maxBytes: number): Promise<Picture>
  /** Throws `WorkspaceError` if `run` would refuse this `cwd`. */
  checkDirectory(path: string): Promise<void>
  /** Throws `WorkspaceError` if `changeText` would for any new text. */
  checkChange(path: string): Promise<void>
  /**
   * Replaces or creates a whole file, and its directories; `change` gets the old text, undefined for a new
   * file. Changes run one at a time, and a copy of the old text is kept. If `change` or an access fails,
   * throws its error, a `WorkspaceError` as in `readText`, and changes nothing.
   */
  changeText(
    path: string,
    change: (old: string | undefined) => string,
  ): Promise<{ readonly created: boolean }>
  /**
   * Finds regular files in limited time, without following links. Rejects with `WorkspaceError`: a bad path
   * or pattern, or a search that takes too much.
   */
  findFiles(query: FileQuery, signal: AbortSignal): Promise<FoundFiles>
  /** Finds lines in text files. Limits and errors are as in `findFiles`. */
  searchText(query: TextQuery, signal: AbortSignal): Promise<FoundText>
  /**
   * Resolves a path through all symlinks, also to a file that does not exist yet. The result is relative,
   * without `.` and `..`, empty for the top; undefined if it leads outside or cannot be resolved.
   */
  placeOf(path: string): Promise<string | undefined>
  /**
   * Runs a process in the sandbox, in the workspace. All of its children are gone when this resolves. Rejects
   * with `WorkspaceError` if the sandbox does not work. Before it settles, `onFiles` gets what the process did
   * to files, if it did anything and the workspace is small enough to compare.
   */
  run(
    spec: ProcessSpec,
    limits: ToolLimits,
    signal: AbortSignal,
    onFiles?: (files: readonly FileNote[]) => Promise<void>,
  ): Promise<ProcessOutcome>
}

export interface Workspaces {
  /** Changes of files through this workspace are recorded with `author`. */
  of(room: string, author?: FileAuthor): Workspace
}
