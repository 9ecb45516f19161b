import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RoomName } from '../words/entry.ts'
import { entryJson } from '../words/entry-text.ts'
import type { EntryLog } from '../chat/index.ts'
import { ownRoomsDir } from './config/directories.ts'
import { logPages } from '../commands/index.ts'
import { errorCode } from '../base/errors.ts'
import { safeJson } from '../base/json.ts'

export interface KeptPlaces {
  readonly dataDir: string
  readonly roomsDir: string
}

/**
 * An invalid room name. Files outside the data directory stay on their disk, so that they are moved and not
 * copied.
 */
const DELETED = '.deleted'

/**
 * Moves a deleted room's log to `exports` in the data directory, and its files there or to `.deleted` next to
 * them. Resolves to the log's path. `now` is in ms since the epoch. Rejects with `StorageError` and file
 * errors.
 */
export async function keepDeletedRoom(
  room: RoomName,
  { dataDir, roomsDir }: KeptPlaces,
  log: Pick<EntryLog, 'read' | 'sizes'>,
  now: number,
): Promise<string> {
  const dir = join(dataDir, 'exports')
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const name = `${room}-${new Date(now).toISOString().replace(/[:.]/g, '-')}`
  const file = join(dir, `${name}.jsonl`)
  await writePrivately(file, entryLines(log, room))
  const filesDir = roomsDir === ownRoomsDir(dataDir) ? dir : join(roomsDir, DELETED)
  await mkdir(filesDir, { recursive: true, mode: 0o700 })
  await moveFiles(join(roomsDir, room), join(filesDir, `${name}-files`))
  return file
}

/** Yields a room's log as `history --json` prints it, oldest first. Rejects with `StorageError`. */
export async function* entryLines(
  log: Pick<EntryLog, 'read' | 'sizes'>,
  room: RoomName,
): AsyncGenerator<string, void, void> {
  const paged = {
    read: (query: Parameters<EntryLog['read']>[1]) => log.read(room, query),
    sizes: (query: Parameters<EntryLog['sizes']>[1]) => log.sizes(room, query),
  }
  for await (const page of logPages(paged, Number.MAX_SAFE_INTEGER))
    yield page.map((entry) => `${safeJson(entryJson(entry))}\n`).join('')
}

/** Resolves when all is on disk. Removes an incomplete file; never overwrites an existing one. */
async function writePrivately(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    for await (const piece of pieces) await handle.writeFile(piece)
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Moves a room's files if there are any. A directory that an admin configured for the room stays. */
export async function moveFiles(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
