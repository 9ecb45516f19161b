import { StorageError } from '../../chat/errors.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { createMarkCutTurns } from '../../turns/cut-turns.ts'
import type { AppContext } from '../context.ts'

/** When those are ended that could not be, in milliseconds. */
const AGAIN_MS = 2_000

/**
 * Gives the function that ends the turns that no server runs any more; people can come in meanwhile. What cannot be stored now is
 * done a little later where several servers share the database, else at the next start: a server that is alone has turns of its own
 * by then.
 */
export function createCutTurns(rooms: Rooms, { storage, log, clock }: AppContext): () => Promise<void> {
  const mark = createMarkCutTurns({
    turns: storage.models.turns,
    log: storage.chat.log,
    clock,
    room: (name) => rooms.anyRoom(name),
  })

  return async function end(): Promise<void> {
    try {
      await mark()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.error({ error, reason: error.reason }, 'turns that a crash cut off could not be ended')
      if (storage.cluster) clock.later(AGAIN_MS, () => void end())
    }
  }
}
