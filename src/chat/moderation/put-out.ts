import type { RoomName } from '../entry.ts'
import type { Person } from '../people/person.ts'
import { becauseOf, forHowLong, type ModerationParts } from './parts.ts'
import type { Sanction } from './ports.ts'

/** What it needs to end clients. */
type PutOutParts = Pick<ModerationParts, 'sanctions' | 'clients' | 'clock'> & {
  readonly stores: { readonly rooms: Pick<ModerationParts['stores']['rooms'], 'find'> }
}

/** Whoever a ban concerns is out of the room, or of this server, and is told why. Rejects with `StorageError`. */
export async function putOut(
  { room, until, reason }: Pick<Sanction, 'room' | 'until' | 'reason'>,
  parts: PutOutParts,
): Promise<void> {
  const { sanctions, clients, clock } = parts
  const ms = until === null ? undefined : Math.max(0, until - clock.now())
  const how = `${forHowLong(ms)}${becauseOf(reason)}`
  if (room !== null) return await putOutOf(room, `you were banned from ${room}${how}`, parts)
  clients.end((person) => sanctions.whyOut(person) !== undefined, `you were banned from this server${how}`)
}

async function putOutOf(
  room: RoomName,
  why: string,
  { sanctions, clients, stores }: PutOutParts,
): Promise<void> {
  const owner = (await stores.rooms.find(room))?.owner
  const isOut = (person: Person): boolean =>
    !person.admin && person.id !== owner && sanctions.whyOutOf(room, person) !== undefined
  await clients.leave(room, isOut, why)
}

/** Does what other servers decided, to those who are here. */
export interface Enforcement {
  /** Bans, mutes or archives have changed. Rejects with `StorageError`, and is to be called again then. */
  sanctionsChanged(): Promise<void>
  /** All rooms that other servers are deleting, and who does. Resolves when nobody is in them through this server. */
  closed(rooms: ReadonlyMap<RoomName, string>): Promise<void>
}

export function createEnforcement(parts: PutOutParts): Enforcement {
  const { sanctions, clients } = parts
  const left = new Set<Sanction>()
  return {
    async sanctionsChanged() {
      for (const one of await sanctions.readAgain()) if (one.kind === 'ban') left.add(one)
      for (const ban of left) {
        await putOut(ban, parts)
        left.delete(ban)
      }
    },
    async closed(rooms) {
      sanctions.closedElsewhere(new Set(rooms.keys()))
      for (const [room, by] of rooms) await clients.leave(room, () => true, `${by} deleted ${room}`)
    },
  }
}
