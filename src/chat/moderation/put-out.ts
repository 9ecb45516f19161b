import type { RoomName } from '../entry.ts'
import type { Person } from '../people/person.ts'
import type { OpenClients } from './clients.ts'
import { becauseOf, forHowLong, type ModerationParts } from './parts.ts'
import type { Sanction } from './ports.ts'

/** What it needs to end clients. */
type PutOutParts = Pick<ModerationParts, 'sanctions' | 'clock'> & {
  readonly clients: Pick<OpenClients, 'end' | 'leave'>
  readonly stores: { readonly rooms: Pick<ModerationParts['stores']['rooms'], 'find'> }
}

/**
 * Resolves to what puts whoever a ban concerns out of the room, or of this server, and tells them why. Rejects with `StorageError`;
 * what it resolves to does not.
 */
export async function puttingOut(
  { room, until, reason }: Pick<Sanction, 'room' | 'until' | 'reason'>,
  { sanctions, clients, clock, stores }: PutOutParts,
): Promise<() => Promise<void>> {
  const ms = until === null ? undefined : Math.max(0, until - clock.now())
  const how = `${forHowLong(ms)}${becauseOf(reason)}`
  if (room === null)
    return async () =>
      clients.end(
        (person) => sanctions.whyOut(person) !== undefined,
        `you were banned from this server${how}`,
      )
  const owner = (await stores.rooms.find(room))?.owner
  const isOut = (person: Person): boolean =>
    !person.admin && person.id !== owner && sanctions.whyOutOf(room, person) !== undefined
  return () => clients.leave(room, isOut, `you were banned from ${room}${how}`)
}

/** Does what other servers decided, to those who are here. */
export interface Enforcement {
  /**
   * Bans, mutes or archives have changed: they hold once it resolves, and whom they concern goes. Rejects with `StorageError`, and is
   * to be called again then.
   */
  sanctionsChanged(): Promise<void>
  /** All rooms that other servers are deleting, and who does: nobody comes into them. Resolves when those who are in them are out. */
  closed(rooms: ReadonlyMap<RoomName, string>): Promise<void>
}

export function createEnforcement(parts: PutOutParts): Enforcement {
  const { sanctions, clients } = parts
  /** Bans of which nobody was put out yet. */
  const fresh = new Set<Sanction>()
  return {
    async sanctionsChanged() {
      for (const one of await sanctions.readAgain()) if (one.kind === 'ban') fresh.add(one)
      for (const ban of fresh) {
        void (await puttingOut(ban, parts))()
        fresh.delete(ban)
      }
    },
    async closed(rooms) {
      sanctions.closedByPeers(new Set(rooms.keys()))
      for (const [room, by] of rooms) await clients.leave(room, () => true, `${by} deleted ${room}`)
    },
  }
}
