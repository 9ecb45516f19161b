// Finds files and lines in a workspace, in a process of its own, so that a slow pattern delays no chat. Knows
// paths, patterns and limits; must not know whose workspace it is, or who asks.

import type { Dirent } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { FileQuery, FoundFiles, FoundText, TextQuery } from '../../tools/index.ts'
import { WorkspaceError } from '../../words/errors.ts'
import { followPath, holdDirectory, quoted } from '../follow-path.ts'
import { compilePathGlob } from './glob-pattern.ts'
import { createLineSearch } from './line-search.ts'

export interface FileSearchLimits {
  /** Milliseconds after which a search ends with the results it has. */
  readonly ms: number
  /** Directory entries that are read at most. */
  readonly entries: number
  /** Paths or matching lines: a search ends before it has this many. */
  readonly results: number
}

/** A search, as it is sent to the search process. `root` is a real path. */
export type FileSearchRequest = { readonly root: string; readonly limits: FileSearchLimits } & (
  | { readonly files: FileQuery }
  | { readonly text: TextQuery }
)

export type SearchAnswer<Found> = { readonly found: Found } | { readonly refused: string }

/** Directories with many files that others wrote. They are searched only when the query names them. */
const SKIPPED_DIRS = ['.git', 'node_modules']

const skippedDirs = (...named: readonly (string | undefined)[]): readonly string[] =>
  SKIPPED_DIRS.filter((name) => !named.some((text) => text?.includes(name)))

/** Finds files by their paths. Rejects with `WorkspaceError`. */
export async function findFiles(
  root: string,
  query: FileQuery,
  limits: FileSearchLimits,
): Promise<FoundFiles> {
  const fits = compilePathGlob(query.pattern)
  const start = await startOf(root, query.path)
  const paths: string[] = []
  const files = filesAt(root, start, limits, skippedDirs(query.pattern, query.path))
  const cut = await eachUntil(files, limits, (path) => {
    if (fits(patternPath(start, path))) paths.push(path)
    return paths.length < limits.results
  })
  return { paths, cut }
}

/** Finds lines in files. Rejects with `WorkspaceError`. */
export async function searchText(
  root: string,
  query: TextQuery,
  limits: FileSearchLimits,
): Promise<FoundText> {
  const fits = query.glob === undefined ? () => true : compilePathGlob(query.glob)
  const search = createLineSearch(root, query, limits)
  const start = await startOf(root, query.path)
  const files = filesAt(root, start, limits, skippedDirs(query.glob, query.path))
  const cut = await eachUntil(
    files,
    limits,
    async (path) => !fits(patternPath(start, path)) || search.read(path),
  )
  return { ...search.found(), cut }
}

interface Start {
  /** Relative to the root. */
  readonly path: string
  readonly isDirectory: boolean
}

async function startOf(root: string, path = '.'): Promise<Start> {
  const { real, exists } = await followPath(root, path)
  if (!exists) throw new WorkspaceError(`${quoted(path)} does not exist`)
  return { path: relative(root, real), isDirectory: (await stat(real)).isDirectory() }
}

/** Returns a found path as patterns see it: relative to the searched directory, or a searched file's name. */
const patternPath = ({ path, isDirectory }: Start, found: string): string =>
  isDirectory ? relative(path, found) : basename(found)

/** Yields the files below a path, or the path itself if it is a file. */
async function* filesAt(
  root: string,
  { path, isDirectory }: Start,
  { entries }: FileSearchLimits,
  skipped: readonly string[],
): AsyncGenerator<string, boolean> {
  if (isDirectory) return yield* walk(root, path, { entries, skipped })
  yield path
  return false
}

/** Calls `visit` until it returns false or the time is over. Returns why it ended early, or ''. */
async function eachUntil(
  paths: AsyncGenerator<string, boolean>,
  { ms, entries, results }: FileSearchLimits,
  visit: (path: string) => boolean | Promise<boolean>,
): Promise<string> {
  const end = performance.now() + ms
  for (let next = await paths.next(); ; next = await paths.next()) {
    if (next.done) return next.value ? `only ${entries} files and directories were looked at` : ''
    if (!(await visit(next.value))) return `more than ${results - 1} were found; make the search narrower`
    if (performance.now() > end) return `it was stopped after ${ms / 1000} s; search a smaller part`
  }
}

interface WalkLimits {
  readonly entries: number
  readonly skipped: readonly string[]
}

/**
 * Yields the regular files below a directory, as paths relative to `root`, in order of name. Follows no
 * links. Skips a directory that a link replaces meanwhile, and everything unreadable. `from` is relative to
 * `root`, `''` for all. Returns true if the limit of entries was reached.
 */
async function* walk(root: string, from: string, limits: WalkLimits): AsyncGenerator<string, boolean> {
  const waiting = [{ path: from, isDirectory: true }]
  let left = limits.entries
  let cut = false
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (!next.isDirectory) {
      yield next.path
      continue
    }
    cut ||= left <= 0
    if (left <= 0) continue
    const entries = await list(root, next.path, left)
    left -= entries.length
    for (const entry of entries.toSorted(byNameBackwards)) {
      const isDirectory = entry.isDirectory()
      if (isDirectory ? limits.skipped.includes(entry.name) : !entry.isFile()) continue
      waiting.push({ path: next.path === '' ? entry.name : `${next.path}/${entry.name}`, isDirectory })
    }
    cut ||= left <= 0
  }
  return cut
}

const byNameBackwards = (a: Dirent, b: Dirent): number => (a.name < b.name ? 1 : -1)

/** Returns at most `maxEntries` entries; [] if the directory is gone, outside the root or unreadable. */
async function list(root: string, path: string, maxEntries: number): Promise<readonly Dirent[]> {
  const entries: Dirent[] = []
  try {
    await using held = await holdDirectory(root, join(root, path), path)
    for await (const entry of await opendir(held.path)) {
      entries.push(entry)
      if (entries.length >= maxEntries) break
    }
  } catch {
    return entries
  }
  return entries
}
