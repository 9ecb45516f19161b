import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { fileType, HEAD_BYTES } from '../base/file-type.ts'
import { headOf } from '../base/text/characters.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import type { FileNote } from '../words/entry.ts'
import { MAX_FILE_NOTES } from '../words/file-notes.ts'
import { isDraftName } from './old-files.ts'
import { openInside } from './read-text.ts'

/** Regular files by their paths below the workspace. */
export type FileStamps = ReadonlyMap<string, { readonly size: number; readonly modifiedAt: number }>

/** In a workspace with more entries, no changes are reported. */
const MAX_ENTRIES = 5_000
const READ_AT_ONCE = 64
const MAX_NAME_CHARACTERS = 200
/** Directories of programs' own files, which lists and comparisons skip, as searches do. */
export const LEFT_OUT: readonly string[] = ['.git', 'node_modules']

/** Follows no links. Resolves to undefined if there are too many entries or a directory is unreadable. */
export async function readFileStamps(root: string): Promise<FileStamps | undefined> {
  const stamps = new Map<string, { size: number; modifiedAt: number }>()
  const directories = [root]
  let count = 0
  for (let path = directories.pop(); path !== undefined; path = directories.pop()) {
    const entries = await readUpTo(path, MAX_ENTRIES - count)
    if (!entries) return undefined
    count += entries.length
    for (const entry of entries)
      if (entry.isDirectory() && !LEFT_OUT.includes(entry.name)) directories.push(join(path, entry.name))
    const files = entries.filter((entry) => entry.isFile() && !isDraftName(entry.name))
    for (let at = 0; at < files.length; at += READ_AT_ONCE)
      await Promise.all(
        files.slice(at, at + READ_AT_ONCE).map(async (file) => {
          const real = join(file.parentPath, file.name)
          const stats = await lstat(real).catch(() => undefined)
          if (stats) stamps.set(relative(root, real), { size: stats.size, modifiedAt: stats.mtimeMs })
        }),
      )
  }
  return stamps
}

/** Resolves to undefined if a directory has more entries, or cannot be read. */
async function readUpTo(directory: string, most: number): Promise<readonly Dirent[] | undefined> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(directory, { bufferSize: 2_048 })) {
      if (entries.length === most) return undefined
      entries.push(entry)
    }
  } catch {
    return undefined
  }
  return entries
}

/** Compares the files below `root` with their earlier stamps. Leaves out the paths in `others`. */
export async function findChangedFiles(
  root: string,
  before: FileStamps,
  others: () => Promise<ReadonlySet<string>>,
): Promise<readonly FileNote[]> {
  const now = await readFileStamps(root)
  if (!now) return []
  const changes = [...new Set([...before.keys(), ...now.keys()])].filter((path) => {
    const [old, next] = [before.get(path), now.get(path)]
    return old?.size !== next?.size || old?.modifiedAt !== next?.modifiedAt
  })
  if (changes.length === 0) return []
  const byOthers = await others()
  const own = changes.filter((path) => !byOthers.has(path)).toSorted()
  return await Promise.all(
    own.map(async (path, index): Promise<FileNote> => {
      const file = now.get(path)
      const name = shownPath(path)
      if (!file) return { name, event: 'removed' }
      const event = before.has(path) ? 'changed' : 'made'
      const type = index < MAX_FILE_NOTES ? await typeOf(root, path) : undefined
      return { name, event, size: file.size, ...(type !== undefined && { type }) }
    }),
  )
}

/** Keeps the end of a long path, which is the file's own name. */
function shownPath(path: string): string {
  const shown = visibleLine(path)
  if (shown.length <= MAX_NAME_CHARACTERS) return shown
  return `…/${headOf(visibleLine(basename(path)), MAX_NAME_CHARACTERS)}`
}

async function typeOf(root: string, path: string): Promise<string | undefined> {
  try {
    await using file = await openInside(root, join(root, path), path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return fileType(buffer.subarray(0, bytesRead))
  } catch {
    return undefined
  }
}
