import type { ApprovalEntry, Entry, EntryId } from '../../chat/entry.ts'
import type { LastSeen } from '../../chat/personal/last-seen.ts'
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
  /** The newest entry that was shown; empty for none. */
  newest(): EntryId
  leave(): Promise<void>
}

/** How a screen comes into a room. */
export interface RoomEntrance {
  /** 80 where there is no window. */
  readonly columns?: number | undefined
  /** Where the room's name and topic stand beside its past. */
  readonly header?: 'above' | 'below'
  /** Called below the past, before what happens from now on is shown. */
  readonly greet?: (() => void) | undefined
  /** What the screen shows of the room already, up to this entry, is not shown again. */
  readonly after?: EntryId | undefined
  /** The numbers of the questions that are open and that the person may answer. */
  readonly questions?: (role: Role) => readonly number[]
}

/**
 * Brings a screen into a room. It enters first and is shown the past second, with those who came and went in short; entries that
 * arrive between are held back, so that none is missed or shown twice. All that must be read is asked for at once. Rejects with
 * `StorageError` if the past cannot be read, and then the person has left the room again.
 */
export async function enterRoom(
  room: Room,
  screen: Screen,
  pasts: RoomPasts,
  lastSeen: LastSeen,
  { columns = 80, header = 'above', greet, after, questions = () => [] }: RoomEntrance = {},
): Promise<RoomStay> {
  const { person } = screen
  /** Undefined once the past was shown. */
  let held: Entry[] | undefined = []
  const whispered: Entry[] = []
  /** The newest entry of the past, which may have been read before it is delivered. */
  let newest = '' as EntryId
  const participant: Participant = {
    person,
    deliver(entry) {
      if (held) held.push(entry)
      else if (entry.id > newest) {
        newest = entry.id
        deliver(entry)
      }
      if (isAsked(entry, person)) screen.bell()
    },
    whisper(entry) {
      if (held) whispered.push(entry)
      else deliver(entry)
      if (isAsked(entry, person)) screen.bell()
    },
  }
  const deliver = (entry: Entry): void => screen.deliver(entry, isAsked(entry, person) ? { waits: true } : {})
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
    const { older, past, since } = partsOf(known, held, after)
    showPast({ older, past: kept.folded(past, columns), seen, open: questions(role) }, screen)
    if (header === 'below') printHeader()
    greet?.()
    for (const entry of [...since, ...whispered]) deliver(entry)
    newest = since.at(-1)?.id ?? newest
    held = undefined
    return { room, role, newest: () => newest, leave }
  } catch (error) {
    // Whoever is refused has not entered, and leaving does nothing.
    await entering.catch(() => undefined)
    await leave()
    throw error
  }
}

/** What somebody is shown who comes in. */
interface ShownPast {
  /** What is not shown, though it may be new. */
  readonly older: readonly Entry[]
  readonly past: readonly Entry[]
  /** How far the person has read, where that is known. */
  readonly seen: EntryId | undefined
  /** The questions that wait for an answer of theirs. */
  readonly open: readonly number[]
}

/** The past, with a mark before what was said since the person was last there. */
function showPast({ older, past, seen, open }: ShownPast, screen: Screen): void {
  const isNew = ({ id, kind, author }: Entry): boolean =>
    seen !== undefined && id > seen && kind !== 'presence' && author !== screen.person.name
  const first = past.findIndex(isNew)
  const count = past.filter(isNew).length
  const hasMore = first === 0 && older.some(isNew) ? ' or more' : ''
  const mark = { lines: [[{ text: `-- ${count}${hasMore} new since you left`, role: 'mention' }]] } as const
  for (const [index, entry] of past.entries()) {
    if (index === first) screen.print(mark)
    screen.deliver(entry, { isPast: true, ...(waits(entry, past, open) ? { waits: true } : {}) })
  }
}

/** Whether it asks one of the open questions. After a restart their numbers begin anew: the last one is meant. */
const waits = (entry: Entry, past: readonly Entry[], open: readonly number[]): boolean =>
  isQuestion(entry) &&
  open.includes(entry.question ?? NaN) &&
  entry === past.findLast((one) => isQuestion(one) && one.question === entry.question)

const isQuestion = (entry: Entry): entry is ApprovalEntry =>
  entry.kind === 'approval' && entry.verdict === 'asked'

/** How many entries of the past somebody sees who comes into a room, besides who came and went between them. */
const PAST_ENTRIES = 20

/** What was there before somebody came, and what was recorded since, which may have been delivered or not. */
function partsOf(
  known: readonly Entry[],
  held: readonly Entry[],
  after: EntryId | undefined,
): Pick<ShownPast, 'older' | 'past'> & { readonly since: readonly Entry[] } {
  const [first] = held
  const isPast = ({ id }: Entry): boolean => first === undefined || id < first.id
  const since = new Map(
    [...known.filter((entry) => !isPast(entry)), ...held].map((entry) => [entry.id, entry]),
  )
  const past = known.filter((entry) => isPast(entry) && (after === undefined || changedAt(entry) > after))
  const said = past.filter(({ kind }) => kind !== 'presence').slice(-PAST_ENTRIES)
  const isShown = ({ id }: Entry): boolean => said.length < PAST_ENTRIES || id >= (said[0]?.id ?? '')
  return {
    older: past.filter((entry) => !isShown(entry)),
    past: past.filter(isShown),
    since: [...since.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/** The entry that made it what it is. */
const changedAt = (entry: Entry): EntryId => (entry.kind === 'message' ? entry.edited : undefined) ?? entry.id

/** What somebody certainly is, where the store does not say more. */
const leastRole = ({ guest }: Person): Role => (guest ? 'guest' : 'member')

/** Whether somebody waits for this person's answer. */
const isAsked = (entry: Entry, person: Person): boolean =>
  isQuestion(entry) && entry.answerers?.includes(person.name) === true
