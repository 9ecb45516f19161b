import { posix } from 'node:path'
import type { FileFacts } from './parse-file.ts'
import { sum } from './statistics.ts'

/** What lies directly in one folder. */
export interface Folder {
  readonly path: string
  readonly files: number
  readonly lines: number
  readonly nonNulls: number
  readonly assertions: number
}

/** Folders that may have any number of files, for each is one item of a list. */
const LISTS: ReadonlySet<string> = new Set([
  'src/commands/verbs',
  'src/tools/builtin',
  'src/tools/rooms',
  'test/unit/commands/verbs',
])

/** As many files as one still overlooks in a folder that is not a list. */
export const MAX_FLAT = 25

/** All folders that have files, in order of path. */
export function foldersOf(files: readonly FileFacts[]): readonly Folder[] {
  const paths = new Set(files.map((file) => folderOf(file.path)))
  return [...paths].toSorted().map((path) => {
    const inside = files.filter((file) => folderOf(file.path) === path)
    return {
      path,
      files: inside.length,
      lines: sum(inside, (file) => file.lines),
      nonNulls: sum(inside, (file) => file.nonNulls),
      assertions: sum(inside, (file) => file.assertions),
    }
  })
}

/** Those that have more files than can be overlooked, and are no lists. */
export const crowded = (folders: readonly Folder[]): readonly Folder[] =>
  folders.filter((folder) => folder.files > MAX_FLAT && !LISTS.has(folder.path))

/** The folder that a file lies in. */
export const folderOf = (path: string): string => posix.dirname(path)
