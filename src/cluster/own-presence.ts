import type { RoomName } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Log } from '../chat/ports.ts'
import type { ToTell } from '../chat/presence/elsewhere.ts'
import { createKeyedSerial } from '../lib/jobs/keyed-serial.ts'
import type { PresentStore } from './ports.ts'

/** Who is in which room through this server, which the database is to say, too. No method rejects. */
export interface OwnPresence {
  /** Somebody is there now. */
  came(room: RoomName, person: Person): Promise<ToTell>
  /** Somebody is not there any more. */
  went(room: RoomName, person: Person): Promise<ToTell>
  /** Stores what could not be stored before. `sumUp` is called for rooms that may have to tell of it. To be called every second. */
  catchUp(sumUp: (room: RoomName) => Promise<void>): Promise<void>
  /** Nothing of this server is stored any more: the next `catchUp` stores it again. */
  storeAllAgain(): void
}

interface Presence {
  readonly room: RoomName
  readonly person: Person
}

/**
 * `takenForDead` is called where nothing can be stored because others took this server for dead: once it is back, `storeAllAgain` is.
 *
 * What the database has, and not what somebody remembers, says whether a room is to be told, and one commit holds both: so nobody is
 * said to have come or left twice or never, whatever could not be stored meanwhile, and whoever was cut off or died.
 */
export function createOwnPresence(
  present: Pick<PresentStore, 'come' | 'go'>,
  log: Pick<Log, 'warn'>,
  takenForDead: () => void = () => {},
): OwnPresence {
  const here = new Map<string, Presence>()
  /** Of these it is not known whether the database has them as they are. */
  const open = new Map<string, Presence>()
  /** What one person does in one room is stored in its order. */
  const serially = createKeyedSerial<string>()

  async function store(key: string, presence: Presence): Promise<ToTell> {
    const { room, person } = presence
    open.set(key, presence)
    try {
      const isFirstOrLast = here.has(key) ? await present.come(room, person) : await present.go(room, person)
      open.delete(key)
      return isFirstOrLast ? 'held' : 'nothing'
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (error.reason === 'taken-for-dead') takenForDead()
      else log.warn({ error, reason: error.reason }, 'other servers were not told who is here')
      return 'nothing'
    }
  }

  return {
    came(room, person) {
      const key = keyOf(room, person)
      return serially(key, async () => {
        here.set(key, { room, person })
        return await store(key, { room, person })
      })
    },
    went(room, person) {
      const key = keyOf(room, person)
      return serially(key, async () => {
        here.delete(key)
        return await store(key, { room, person })
      })
    },
    async catchUp(sumUp) {
      for (const [key, presence] of [...open]) {
        await serially(key, async () => void (open.has(key) && (await store(key, presence))))
        // The others would fail as well.
        if (open.has(key)) return
        // Also where nothing changed: it may have been stored before, and the answer was lost.
        await sumUp(presence.room)
      }
    },
    storeAllAgain() {
      for (const [key, presence] of here) open.set(key, presence)
    },
  }
}

const keyOf = (room: RoomName, { id }: Person): string => `${id} ${room}`
