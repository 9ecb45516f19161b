import { join } from 'node:path'
import type { Upkeep } from '../storage/index.ts'
import { removeOldFiles } from '../sandbox/index.ts'
import { Keeping, pause } from '../chat/moderation/index.ts'
import type { Alarm, Log } from '../base/environment.ts'
import type { AppContext } from './context.ts'
import type { CurrentConfig } from './current-config.ts'

/** Pages that are freed in one transaction: two megabytes. */
const PAGES_AT_ONCE = 500

/** Pause in ms between transactions, for the chat's own writes. */
const PAUSE_MS = 20

/**
 * Returns the cleanup after lines were removed, which rebuilds the search index and returns free pages to the
 * disk. It never rejects.
 */
export const createTidyDatabase =
  (upkeep: Pick<Upkeep, 'renewSearch' | 'releasePages'>, clock: Alarm, log: Log) =>
  async (): Promise<void> => {
    try {
      while (await upkeep.releasePages(PAGES_AT_ONCE)) await pause(clock, PAUSE_MS)
      await upkeep.renewSearch()
    } catch (error) {
      log.warn({ error }, 'the database could not be tidied after lines were removed')
    }
  }

/** Keeps the files of a room in a directory that an admin configured: they belong to the admin. */
export function createKeeping(current: CurrentConfig, context: AppContext): Keeping {
  const { storage, clock, nextId, log } = context
  return new Keeping({
    clock,
    nextId,
    log,
    limits: current.limits,
    store: storage.chat.retention,
    rooms: storage.chat.rooms,
    async removeFiles(room, before) {
      const { rooms_dir: dir, workspaces } = current.now().sandbox
      if (workspaces.has(room)) return
      for (const part of ['files', 'backups'])
        await removeOldFiles(join(dir, room, part), before).catch((error: unknown) =>
          log.warn({ error, room }, 'an old file could not be removed'),
        )
    },
    tidy: createTidyDatabase(storage.upkeep, clock, log),
  })
}
