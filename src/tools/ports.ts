import type { RoomName } from '../chat/entry.ts'
import type { ToolLimits } from './tool.ts'

/** A path was refused or not there; the message says which path and why, and is for the model. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

/** The part of a text file that was asked for. */
export interface FileSlice {
  /** The lines asked for, with their original line ends. */
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
  /** `*`, `?` and `[…]` stop at `/`, `**` does not; `{a,b}`. Without `/` it is for the name, in any directory. */
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
  /** False for one that stands around another. */
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
 * The only part of the machine that a tool can touch: one room's directory, and commands that run in
 * the sandbox around it. Paths are relative to it (or absolute inside it) and are checked by real path:
 * `..`, symlinks that lead out, devices and FIFOs are refused with `WorkspaceError`.
 */
export interface Workspace {
  /** True where commands run with no sandbox around them; whoever is asked to allow one must be told. */
  readonly unsandboxed?: boolean
  /** Throws `WorkspaceError`: not found, outside, not a regular file, too large, not text. */
  readText(path: string, lines?: { readonly first?: number; readonly last?: number }): Promise<FileSlice>
  /**
   * Replaces the text of a file as a whole, or makes the file and the directories on its way; `change` gets the
   * old text, undefined for a new file. One change after the other; a copy of the old text is kept. Throws
   * `WorkspaceError` as `readText` does, and what `change` throws; then nothing is changed.
   */
  changeText(
    path: string,
    change: (old: string | undefined) => string,
  ): Promise<{ readonly created: boolean }>
  /**
   * Finds regular files; links are not followed. Takes a bounded time, whatever the pattern. Rejects with
   * `WorkspaceError`: a path that is not there or outside, a pattern that is none, too much to do at once.
   */
  findFiles(query: FileQuery, signal: AbortSignal): Promise<FoundFiles>
  /** Finds lines in text files; as `findFiles`. */
  searchText(query: TextQuery, signal: AbortSignal): Promise<FoundText>
  /** True if `path`, followed through every symlink, stays inside; a path that does not exist yet is judged by its parent. */
  contains(path: string): Promise<boolean>
  /**
   * Runs in the sandbox with the workspace as its directory; everything it started is gone when this
   * resolves. Rejects with `WorkspaceError` when there is no sandbox and none may be done without.
   */
  run(spec: ProcessSpec, limits: ToolLimits, signal: AbortSignal): Promise<ProcessOutcome>
}

/** Gives each room its workspace; made on first use. */
export interface Workspaces {
  of(room: string): Workspace
}

/** A result that was too long to be read at once, kept whole. */
export interface LongResult {
  readonly room: RoomName
  /** Counts up in its room; written `fd:3`. */
  readonly fd: number
  /** Id of the tool that gave it. */
  readonly tool: string
  /** Cleaned (lib/clean-text.ts). */
  readonly text: string
  /** Of a page, in UTF-16 units: the same for whoever reads, so that the pages join to the text. */
  readonly pageSize: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What a room may keep of long results. */
export interface ResultLimits {
  /** Everything older than this is let go, in every room. Milliseconds since the epoch. */
  readonly since: number
  /** All texts of one room together, in UTF-8; the oldest go first. The newest stays whatever its size. */
  readonly roomBytes: number
}

/** Long results on disk. All methods reject with `StorageError` only. */
export interface ResultStore {
  /** Resolves to its fd, which no other result of the room ever had or will have. */
  put(result: Omit<LongResult, 'fd'>, limits: ResultLimits): Promise<number>
  /** Undefined alike for what never was, was let go, or belongs to another room. */
  find(room: RoomName, fd: number): Promise<LongResult | undefined>
}

/** The web did not give what was asked for; the message says why and what to do, and holds no key. */
export class WebError extends Error {
  override readonly name = 'WebError'
}

/** How a page is wanted: `text` is `markdown` without marks, `raw` is what the server sent. */
export type PageFormat = 'markdown' | 'text' | 'raw'

/** A page as it was read. Nothing in it can be trusted. */
export interface WebPage {
  /** Where it was in the end, after redirects. */
  readonly url: string
  /** HTTP status, 2xx. */
  readonly status: number
  /** Such as `text/html`. */
  readonly contentType: string
  readonly title: string
  readonly text: string
  /** True if there was more than may be read. */
  readonly cut: boolean
}

/** An address that may be asked for. */
export interface Visit {
  /** The site, with its port where that is not the usual one: what a permission is for. */
  readonly host: string
  /** The whole address. */
  readonly url: string
  /** Reads the page within limits of its own. Rejects with `WebError`, or with the signal's reason. */
  read(format: PageFormat, signal: AbortSignal): Promise<WebPage>
}

/** One thing that a search found. */
export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

/** A search provider. */
export interface WebSearch {
  readonly provider: string
  /** Where the query goes. */
  readonly host: string
  /** Results from number `start`, 1-based, about ten. Rejects with `WebError`, or with the signal's reason. */
  find(
    query: { readonly words: string; readonly start: number },
    signal: AbortSignal,
  ): Promise<readonly SearchHit[]>
}

/** The web, as far as it is configured; each part that is absent has no tool. */
export interface Web {
  /** Throws `WebError` for what is no public web address; nothing is sent before `read`. */
  readonly visit?: (url: string) => Visit
  readonly search?: WebSearch
}
