import type { RoomName } from '../entry.ts'
import type { Person } from '../people/person.ts'
import type { RoomStore } from '../ports.ts'
import type { Sanctions } from './sanctions.ts'

/**
 * Why what works for somebody in a room must end, in words that end a sentence; undefined if it may go on. Rejects with
 * `StorageError`.
 */
export type WhyNoWork = (room: RoomName, person: Person) => Promise<string | undefined>

/** Asks as people are asked themselves: no ban from a room holds its owner and admins. */
export const createStanding =
  (
    sanctions: Pick<Sanctions, 'whyOut' | 'whyOutOf' | 'whyMuted' | 'isGone' | 'isArchived'>,
    rooms: Pick<RoomStore, 'find'>,
  ): WhyNoWork =>
  async (room, person) => {
    const { name } = person
    if (sanctions.isGone(room)) return `${room} is being deleted`
    if (sanctions.whyOut(person) !== undefined) return `${name} was banned`
    if (sanctions.isArchived(room)) return `${room} was archived`
    if (sanctions.whyMuted(room, person) !== undefined) return `${name} was muted`
    if (person.admin || sanctions.whyOutOf(room, person) === undefined) return undefined
    const isOwner = (await rooms.find(room))?.owner === person.id
    return isOwner ? undefined : `${name} was banned`
  }
