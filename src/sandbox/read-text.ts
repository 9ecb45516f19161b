import { constants, type Stats } from 'node:fs'
import { open, readlink, type FileHandle } from 'node:fs/promises'
import { bytes } from '../base/amounts.ts'
import { readPictureFile } from '../base/picture-file.ts'
import type { FileSlice } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import { Picture } from '../words/picture.ts'
import { followPath, isInside, outsideError, quoted, pathError } from './follow-path.ts'

/** Links are resolved before. Opening must not wait for a FIFO, nor make a terminal the server's own. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * Reads lines `first` to `last` (1-based, inclusive) of a text file of at most `maxBytes` inside `root`.
 * Checks the open file, not its name, which may become a link meanwhile. Throws `WorkspaceError`.
 */
export async function readText(
  root: string,
  path: string,
  lines: { readonly first?: number; readonly last?: number },
  maxBytes: number,
): Promise<FileSlice> {
  const { real } = await followPath(root, path)
  await using file = await openInside(root, real, path)
  const { size } = await file.stat()
  if (size > maxBytes) throw tooLarge(path, size, maxBytes)
  return slice(decode(path, await readAll(path, file, maxBytes)), lines)
}

/** Reads a picture of at most `maxBytes` inside `root`. Checks and throws as `readText` does. */
export async function readPicture(root: string, path: string, maxBytes: number): Promise<Picture> {
  const { real } = await followPath(root, path)
  await using file = await openInside(root, real, path)
  const { size } = await file.stat()
  if (size > maxBytes)
    throw new WorkspaceError(`${quoted(path)} has ${bytes(size)}; a picture may have ${bytes(maxBytes)}`)
  const picture = readPictureFile(await readAll(path, file, maxBytes))
  if (typeof picture === 'string') throw new WorkspaceError(`${quoted(path)} ${picture}`)
  // Hashes in another thread.
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', picture.bytes)).toString('hex')
  return new Picture(picture, { name: path, hash })
}

/** Opens a regular file by its real path; `path` is its name in messages. Checks and throws as `readText`. */
export async function openInside(root: string, real: string, path: string): Promise<FileHandle> {
  const file = await open(real, OPEN_FLAGS).catch((error: unknown) => {
    throw pathError(path, error)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new WorkspaceError(`${quoted(path)} is ${kindOf(stats)}, not a text file`)
    if (!isInside(root, await whereIs(file, root))) throw outsideError(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Resolves to the current path of the open file; to the root itself on systems without /proc. */
const whereIs = (file: FileHandle, root: string): Promise<string> =>
  readlink(`/proc/self/fd/${file.fd}`).catch(() => root)

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isFIFO()) return 'a FIFO'
  return stats.isSocket() ? 'a socket' : 'a device'
}

const tooLarge = (path: string, size: number, maxBytes: number): WorkspaceError =>
  new WorkspaceError(
    `${quoted(path)} is too large (${bytes(size)}; at most ${bytes(maxBytes)} are read); search in it instead`,
  )

/** Never reads more than one byte over the limit: the file may have grown since its size was checked. */
async function readAll(path: string, file: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const stream: AsyncIterable<Buffer> = file.createReadStream({ autoClose: false, end: maxBytes })
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
  }
  if (size > maxBytes) throw tooLarge(path, size, maxBytes)
  return Buffer.concat(chunks)
}

function decode(path: string, content: Buffer): string {
  if (content.includes(0)) throw notText(path, 'it has a NUL byte in it')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw notText(path, 'it is not UTF-8')
  }
}

const notText = (path: string, why: string): WorkspaceError =>
  new WorkspaceError(`${quoted(path)} is not a text file (${why})`)

function slice(text: string, { first = 1, last = Infinity }: { first?: number; last?: number }): FileSlice {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return { text: lines.slice(first - 1, last).join(''), firstLine: first, totalLines: lines.length }
}
