import { opendir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { holdDirectory } from '../hold-directory.ts'

/** What bounds a walk. */
export interface WalkLimits {
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
export async function* walk(root: string, from: string, limits: WalkLimits): AsyncGenerator<string, boolean> {
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
