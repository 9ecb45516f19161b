import type { RoomName } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Log } from '../chat/ports.ts'
import type { PresenceChange } from '../chat/presence/held-presence.ts'
import { createKeyedSerial } from '../lib/jobs/keyed-serial.ts'
import type { PresentStore } from './ports.ts'

/** Tells a room that somebody came or went. Never rejects. */
export type TellChange = (room: RoomName, person: Person, event: PresenceChange['event']) => Promise<void>

/** Who is in which room through this server, which the database is to say, too. */
export interface OwnPlaces {
  /** Somebody is there now. Resolves to whether the room is to be told. Never rejects. */
  came(room: RoomName, person: Person): Promise<boolean>
  /** Somebody is not there any more. Otherwise as `came`. */
  went(room: RoomName, person: Person): Promise<boolean>
  /** Stores what could not be stored before, and tells the rooms then. To be called every second; never rejects. */
  catchUp(tell: TellChange): Promise<void>
  /** Nothing of this server is stored any more: the next `catchUp` stores it again. */
  storeAllAgain(): void
}

interface Place {
  readonly room: RoomName
  readonly person: Person
}

/**
 * What the database has, and not what somebody remembers, says whether a room is to be told: so nobody is said to have come or
 * left twice, whatever could not be stored meanwhile, and whoever was cut off.
 */
export function createOwnPlaces(
  present: Pick<PresentStore, 'come' | 'go'>,
  log: Pick<Log, 'warn'>,
): OwnPlaces {
  const here = new Map<string, Place>()
  /** Of these it is not known whether the database has them as they are. */
  const open = new Map<string, Place>()
  /** What one person does in one room is stored in its order. */
  const inTurn = createKeyedSerial<string>()

  async function store(key: string, place: Place): Promise<boolean> {
    const { room, person } = place
    open.set(key, place)
    try {
      const isFirstOrLast = here.has(key)
        ? await present.come(room, person)
        : await present.go(room, person.id)
      open.delete(key)
      return isFirstOrLast
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason }, 'other servers were not told who is here')
      return false
    }
  }

  return {
    came(room, person) {
      const key = keyOf(room, person)
      return inTurn(key, async () => {
        here.set(key, { room, person })
        return await store(key, { room, person })
      })
    },
    went(room, person) {
      const key = keyOf(room, person)
      return inTurn(key, async () => {
        here.delete(key)
        return await store(key, { room, person })
      })
    },
    async catchUp(tell) {
      for (const [key, place] of [...open]) {
        await inTurn(key, async () => {
          if (!open.has(key) || !(await store(key, place))) return
          await tell(place.room, place.person, here.has(key) ? 'joined' : 'left')
        })
        // The others would fail as well.
        if (open.has(key)) return
      }
    },
    storeAllAgain() {
      for (const [key, place] of here) open.set(key, place)
    },
  }
}

const keyOf = (room: RoomName, { id }: Person): string => `${id} ${room}`
