import { StorageError } from '../../chat/errors.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { createCutTurns } from '../../turns/interrupted-turns.ts'
import type { AppContext } from '../context.ts'

/** When those are ended that could not be, in milliseconds. */
const AGAIN_MS = 2_000

/** Ends turns that have no end. No method rejects, with `StorageError` at least: it is tried again. */
export interface TurnEnder {
  /** Ends those that no server runs any more; people can come in meanwhile. */
  endAll(): Promise<void>
  /** Ends one of this server whose end could not be stored. */
  end(id: string): Promise<void>
}

/**
 * What cannot be stored is tried again where several servers share the database. A server that is alone ends it at its next start,
 * before there are turns that run.
 */
export function createTurnEnder(rooms: Rooms, { storage, log, clock }: AppContext): TurnEnder {
  const cutTurns = createCutTurns({
    turns: storage.models.turns,
    log: storage.chat.log,
    clock,
    room: (name) => rooms.anyRoom(name),
  })

  async function untilStored(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.error({ error, reason: error.reason }, 'turns that were cut off could not be ended')
      if (storage.cluster) clock.later(AGAIN_MS, () => void untilStored(work))
    }
  }

  return {
    endAll: () => untilStored(cutTurns.endAll),
    end: async (id) => {
      if (storage.cluster) await untilStored(() => cutTurns.end(id))
    },
  }
}
