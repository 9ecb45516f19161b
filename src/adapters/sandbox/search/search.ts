// Finding files and lines in a workspace, in a process of its own, so that a slow pattern stops no chat. It knows paths,
// patterns and limits; it must not know whose workspace it is, or who asks.

import type { Dirent } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import {
  WorkspaceError,
  type FileQuery,
  type FoundFiles,
  type FoundText,
  type TextQuery,
} from '../../../tools/workspace.ts'
import { followPath, holdDirectory, quoted } from '../follow-path.ts'
import { compilePathGlob } from './glob-pattern.ts'
import { createLineSearch } from './line-search.ts'

/** What one search may take. */
export interface FileSearchLimits {
  /** After this time it ends with what it has. */
  readonly ms: number
  /** Names that are looked at. */
  readonly entries: number
  /** Paths, or lines that match: it ends before it has so many. */
  readonly results: number
}

/** A search, as it is sent to the process that makes it. `root` is a real path. */
export type FileSearchRequest = { readonly root: string; readonly limits: FileSearchLimits } & (
  | { readonly files: FileQuery }
  | { readonly text: TextQuery }
)

/** What it answers: what it found, or why it did not look. */
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
    if (fits(below(start, path))) paths.push(path)
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
  const cut = await eachUntil(files, limits, async (path) => !fits(below(start, path)) || search.read(path))
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

/** A found path as patterns see it. */
const below = ({ path, isDirectory }: Start, found: string): string =>
  isDirectory ? relative(path, found) : basename(found)

/** The files at a path: itself, where it is one. */
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

/** Goes on until `visit` says false or the time is over; tells why it ended early, or nothing. */
async function eachUntil(
  paths: AsyncGenerator<string, boolean>,
  { ms, entries, results }: FileSearchLimits,
  visit: (path: string) => boolean | Promise<boolean>,
): Promise<string> {
  const end = performance.now() + ms
  for (let next = await paths.next(); ; next = await paths.next()) {
    if (next.done) return next.value ? `only ${entries} files and directories were looked at` : ''
    if (!(await visit(next.value)))
      return `more than ${results - 1} were found; say more exactly what is wanted`
    if (performance.now() > end) return `it was stopped after ${ms / 1000} s; search a smaller part`
  }
}

interface WalkLimits {
  /** Names that are looked at, of files and directories. */
  readonly entries: number
  /** Directories of these names are left out. */
  readonly skipped: readonly string[]
}

/**
 * The regular files below a directory of the workspace, as paths relative to `root`, in order of name. Links are not
 * followed. A directory that a link replaces meanwhile is left out, and so is what cannot be read. `from` is
 * relative to `root`, `''` for all. Returns true if there was more than may be looked at.
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

/** At most `maxEntries` entries; none where the directory is gone, is outside, or may not be read. */
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
