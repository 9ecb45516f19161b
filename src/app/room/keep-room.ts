import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { entryJson } from '../../chat/entry-json.ts'
import type { EntryLog } from '../../chat/ports.ts'
import type { RoomName } from '../../chat/entry.ts'
import { pagesOf } from '../../commands/verbs/shared/log-pages.ts'
import { errorCode } from '../../lib/errors.ts'
import { safeJson } from '../../lib/safe-json.ts'

/** All that was said in a room, oldest first: one line of JSON an entry, as `history --json` has them. Rejects with `StorageError`. */
export async function* entryLines(
  log: Pick<EntryLog, 'read' | 'sizes'>,
  room: RoomName,
): AsyncGenerator<string, void, void> {
  const paged = {
    read: (query: Parameters<EntryLog['read']>[1]) => log.read(room, query),
    sizes: (query: Parameters<EntryLog['sizes']>[1]) => log.sizes(room, query),
  }
  for await (const page of pagesOf(paged, Number.MAX_SAFE_INTEGER))
    yield page.map((entry) => `${safeJson(entryJson(entry))}\n`).join('')
}

/** Keeps what a deleted room had, in `exports` of the data directory. */
export function createRoomKeeper(
  dataDir: string,
  log: Pick<EntryLog, 'read' | 'sizes'>,
  now: () => number,
): (room: RoomName) => Promise<string> {
  return async (room) => {
    const dir = join(dataDir, 'exports')
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const name = join(dir, `${room}-${new Date(now()).toISOString().replace(/[:.]/g, '-')}`)
    const file = `${name}.jsonl`
    await writePrivately(file, entryLines(log, room))
    await moveFiles(join(dataDir, 'rooms', room), `${name}-files`)
    return file
  }
}

/** Resolves when all of it is on disk; a file that could not be written whole is removed. An existing one is left alone. */
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

/** A room whose tools wrote nothing has no files. A directory that an admin gave to it stays where it is. */
async function moveFiles(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
