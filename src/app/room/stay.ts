import { foldPast } from '../../chat/presence/fold.ts'
import type { Entry, EntryId } from '../../chat/entry.ts'
import type { LastSeen } from '../../chat/preferences/last-seen.ts'
import type { Person, Role } from '../../chat/people/person.ts'
import type { Participant } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { Screen } from '../../session/ports.ts'
import type { RoomPasts } from './past.ts'

/** A session's stay in one room. */
export interface RoomStay {
  readonly room: Room
  /** What the person was there as they came in. */
  readonly role: Role
  leave(): Promise<void>
}

/**
 * Brings a screen of so many columns into a room. It enters first and is shown the past second, with those who came and
 * went in short; entries that arrive between are held back, so that none is missed or shown twice. All that must be read is asked for at once. Rejects with `StorageError` if the
 * past cannot be read, and then the person has left the room again. `header` says where the room's name and topic stand
 * beside its past.
 */
export async function enterRoom(
  room: Room,
  screen: Screen,
  pasts: RoomPasts,
  lastSeen: LastSeen,
  columns = 80,
  header: 'above' | 'below' = 'above',
): Promise<RoomStay> {
  const { person } = screen
  /** Undefined once the past was shown. */
  let held: Entry[] | undefined = []
  /** The newest entry of the past, which may have been read before it is delivered. */
  let newest = '' as EntryId
  const participant: Participant = {
    person,
    deliver(entry) {
      if (held) held.push(entry)
      else if (entry.id > newest) {
        newest = entry.id
        screen.deliver(entry)
      }
      if (isAsked(entry, person)) screen.bell()
    },
  }
  const entering = room.enter(participant)
  const kept = pasts.open(room)
  const leave = async (): Promise<void> => {
    kept.release()
    await room.leave(participant)
    // Where the past was not shown, nothing of it was seen.
    if (!held) await lastSeen.put(person, room.name, newest)
  }
  try {
    const [entries, { topic }, role, seen] = await Promise.all([
      kept.ready,
      room.info(),
      room.roleOf(person).catch(() => leastRole(person)),
      lastSeen.find(person, room.name),
      entering,
    ])
    const printHeader = (): void => screen.print(topic ? `-- ${room.name}: ${topic}` : `-- ${room.name}`)
    if (header === 'above') printHeader()
    const known = entries()
    newest = known.at(-1)?.id ?? newest
    const { past, since } = partsOf(known, held)
    showPast(foldPast(past, columns), screen, seen)
    for (const entry of since) screen.deliver(entry)
    if (header === 'below') printHeader()
    newest = since.at(-1)?.id ?? newest
    held = undefined
    return { room, role, leave }
  } catch (error) {
    // Whoever is refused has not entered, and leaving does nothing.
    await entering.catch(() => undefined)
    await leave()
    throw error
  }
}

/** The past, with a mark before what was said since the person was last there. */
function showPast(past: readonly Entry[], screen: Screen, seen: EntryId | undefined): void {
  const isNew = ({ id, kind, author }: Entry): boolean =>
    seen !== undefined && id > seen && kind !== 'presence' && author !== screen.person.name
  const first = past.findIndex(isNew)
  const count = past.filter(isNew).length
  const hasMore = first === 0 ? ' or more' : ''
  const mark = { lines: [[{ text: `-- ${count}${hasMore} new since you left`, role: 'mention' }]] } as const
  for (const [index, entry] of past.entries()) {
    if (index === first) screen.print(mark)
    screen.deliver(entry, 'past')
  }
}

/** How many entries of the past somebody sees who comes into a room, besides who came and went between them. */
const PAST_ENTRIES = 20

/** What was there before somebody came, and what was recorded since, which may have been delivered or not. */
function partsOf(
  known: readonly Entry[],
  held: readonly Entry[],
): { readonly past: readonly Entry[]; readonly since: readonly Entry[] } {
  const [first] = held
  const isPast = ({ id }: Entry): boolean => first === undefined || id < first.id
  const since = new Map(
    [...known.filter((entry) => !isPast(entry)), ...held].map((entry) => [entry.id, entry]),
  )
  const past = known.filter(isPast)
  const said = past.filter(({ kind }) => kind !== 'presence').slice(-PAST_ENTRIES)
  return {
    past: past.filter(({ id }) => said.length < PAST_ENTRIES || id >= (said[0]?.id ?? '')),
    since: [...since.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/** What somebody certainly is, where the store does not say more. */
const leastRole = ({ guest }: Person): Role => (guest ? 'guest' : 'member')

/** Whether somebody waits for this person's answer. */
const isAsked = (entry: Entry, person: Person): boolean =>
  entry.kind === 'approval' && entry.answerers?.includes(person.name) === true
