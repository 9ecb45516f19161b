import { entryLine, isLongText, MOST_LINES } from '../words/entry-text.ts'
import type { ApprovalEntry, Entry, EntryId } from '../words/entry.ts'
import type { Person, Role } from '../words/person.ts'
import { nameOf } from '../chat/presence/index.ts'
import type { LastSeen } from '../chat/personal/index.ts'
import type { Participant, Room } from '../chat/index.ts'
import { type Screen, isAnswer } from '../terminal/index.ts'
import type { RecentEntries } from './recent-entries.ts'

export interface RoomVisit {
  readonly room: Room
  readonly role: Role
  /** The newest entry that was shown; empty for none. */
  newest(): EntryId
  /** Leaves the room once. `ended`: the session ends; stores the room as the person's last one. */
  leave(how?: 'quietly' | 'ended'): Promise<void>
}

type ListenersAndPins = readonly [listening: string, pins: readonly string[]]

export interface VisitOptions {
  readonly columns?: number | undefined
  /** Rows of the window: the past takes at most two screens. Absent for a pipe. */
  readonly rows?: number | undefined
  /** Shows the room's name and topic above or below the past. */
  readonly header?: 'above' | 'below'
  /** The line about the models that listen, and the rows under the heading. Must not reject. */
  readonly beside?: ListenersAndPins | Promise<ListenersAndPins>
  /** Called after the past was shown, before new entries are shown. */
  readonly greet?: ((listening: string) => void) | undefined
  /** The newest entry of the room that the screen shows already. */
  readonly after?: EntryId | undefined
  readonly questions?: (role: Role) => readonly number[]
  /** True if the person moved here themselves: their own joins and leaves are hidden. */
  readonly isMove?: boolean
  /** True if the room becomes one of the person's rooms. */
  readonly isMine?: boolean
  /** Set if the room was only renamed, so that nobody came or left. */
  readonly how?: 'quietly' | undefined
}

/**
 * Enters a room, then shows the past, then the entries delivered meanwhile, so that nothing is missed or
 * shown twice. If the past cannot be read, leaves the room and rejects with `StorageError`.
 */
export async function enterRoom(
  room: Room,
  screen: Screen,
  recent: RecentEntries,
  lastSeen: Pick<LastSeen, 'find' | 'put' | 'now'>,
  options: VisitOptions = {},
): Promise<RoomVisit> {
  const {
    columns = 80,
    rows = Infinity,
    header = 'above',
    beside = ['', []],
    isMove,
    isMine,
    greet,
    after,
    how,
  } = options
  const { person } = screen
  const isLeftOut = (entry: Entry): boolean => isMove === true && isOwnComing(entry, person)
  const shown = new RoleView(screen)
  const show = (entry: Entry): void => {
    if (!isLeftOut(entry)) shown.deliver(entry, isQuestionFor(entry, person) ? { waits: true } : {})
  }
  const arrivals = new Arrivals(screen, show)
  const entering = room.enter(arrivals, how)
  const kept = recent.open(room)
  const cameAt = lastSeen.now()
  let isOver = false
  const leave = async (leaving?: 'quietly' | 'ended'): Promise<void> => {
    if (isOver) return
    isOver = true
    kept.release()
    await room.leave(arrivals, leaving === 'quietly' ? leaving : undefined)
    const at = leaving === 'ended' ? lastSeen.now() : cameAt
    if (arrivals.isShown) await lastSeen.put(person, room.name, arrivals.newest, isMine ? at : undefined)
  }
  try {
    const [entries, { topic }, role, seen, [listening, pins]] = await Promise.all([
      kept.ready,
      room.info(),
      roleForView(room, person),
      how ? undefined : lastSeen.find(person, room.name),
      beside,
      entering,
    ])
    shown.role = role
    const title = topic ? `${room.name}: ${topic}` : room.name
    const printHeader = (): void => {
      screen.print(`-- ${title}`, 'heading')
      for (const pin of pins) screen.print(`-- ${pin}`)
    }
    if (header === 'above') printHeader()
    const known = entries()
    const { older, past, since } = partsOf(known, arrivals.held, after, (past) =>
      fitting(past, columns, rows),
    )
    const others = past.filter((entry) => !isLeftOut(entry))
    const open = options.questions?.(role) ?? []
    showPast({ older, past: kept.folded(others, columns), seen, open }, { ...screen, deliver: shown.deliver })
    if (header === 'below') printHeader()
    greet?.(listening)
    arrivals.showAll(known, since)
    // Stored now: a killed server stores nothing later. The first room is the lobby, or one of theirs already.
    if (isMine && isMove) void lastSeen.put(person, room.name, arrivals.newest, cameAt)
    return { room, role, newest: () => arrivals.newest, leave }
  } catch (error) {
    // A refused person has not entered, and leaving does nothing.
    await entering.catch(() => undefined)
    await leave()
    throw error
  }
}

/** Shows the entries of a room in order. Entries that come before the room's past is shown wait. */
class Arrivals implements Participant {
  readonly person: Person
  readonly held: Entry[] = []
  isShown = false
  /** Entries up to this one are skipped, because one may be read before it is delivered. */
  newest = '' as EntryId
  readonly #whispered: Entry[] = []
  readonly #bell: () => void
  readonly #show: (entry: Entry) => void

  constructor({ person, bell }: Pick<Screen, 'person' | 'bell'>, show: (entry: Entry) => void) {
    this.person = person
    this.#bell = bell
    this.#show = show
  }

  deliver(entry: Entry): void {
    if (!this.isShown) this.held.push(entry)
    else if (entry.id > this.newest) {
      this.newest = entry.id
      this.#show(entry)
    }
    if (isQuestionFor(entry, this.person)) this.#bell()
  }

  whisper(entry: Entry): void {
    if (this.isShown) this.#show(entry)
    else this.#whispered.push(entry)
    if (isQuestionFor(entry, this.person)) this.#bell()
  }

  showAll(past: readonly Entry[], since: readonly Entry[]): void {
    for (const entry of [...since, ...this.#whispered]) this.#show(entry)
    this.newest = since.at(-1)?.id ?? past.at(-1)?.id ?? this.newest
    this.isShown = true
  }
}

/** If the store fails, assumes the lowest role that the person can have. */
const roleForView = (room: Room, person: Person): Promise<Role> =>
  room.roleOf(person).catch((): Role => (person.guest ? 'guest' : 'member'))

/** For members and guests, hides the row of a question that only ops can use. */
class RoleView {
  readonly #screen: Screen
  /** Set before anything is shown. */
  role: Role = 'guest'

  constructor(screen: Screen) {
    this.#screen = screen
  }

  readonly deliver: Screen['deliver'] = (entry, how) => {
    const mayAllowAlways = this.role !== 'member' && this.role !== 'guest'
    this.#screen.deliver(mayAllowAlways ? entry : withoutOpsRow(entry), how)
  }
}

interface VisiblePast {
  readonly older: readonly Entry[]
  readonly past: readonly Entry[]
  readonly seen: EntryId | undefined
  readonly open: readonly number[]
}

/** Shows the past without answered questions, with a mark before entries that are new to the person. */
function showPast({ older, past: all, seen, open }: VisiblePast, screen: Screen): void {
  const past = all.filter((entry) => !isAnswered(entry, all))
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

/** Numbers of questions restart with the server, so only the last question of a number can be open. */
const waits = (entry: Entry, past: readonly Entry[], open: readonly number[]): boolean =>
  isQuestion(entry) &&
  open.includes(entry.question ?? NaN) &&
  entry === past.findLast((one) => isQuestion(one) && one.question === entry.question)

const isAnswered = (entry: Entry, past: readonly Entry[]): boolean =>
  isQuestion(entry) &&
  past.some(
    (later) =>
      later.kind === 'approval' && later.verdict !== 'asked' && later.id > entry.id && isAnswer(later, entry),
  )

const isQuestion = (entry: Entry): entry is ApprovalEntry =>
  entry.kind === 'approval' && entry.verdict === 'asked'

const OPS_ROW = /\n\/allow always [^\n]*\(ops only\)(?=\n)/

/** Maps a question to its version for members, so that it is drawn once for all of them. */
const forMembers = new WeakMap<Entry, Entry>()

function withoutOpsRow(entry: Entry): Entry {
  if (!isQuestion(entry)) return entry
  const shown = forMembers.get(entry) ?? { ...entry, text: entry.text.replace(OPS_ROW, '') }
  forMembers.set(entry, shown)
  return shown
}

const isOwnComing = (entry: Entry, { name }: Person): boolean =>
  entry.kind === 'presence' && entry.event !== 'summed' && nameOf(entry) === name

const PAST_ENTRIES = 20
const PAST_SCREENS = 2
/** Rows of a folded long text. */
const FOLDED_ROWS = 9
/** Columns of the time and the indent. */
const BESIDE_TEXT = 8

/** Returns how many of the newest entries fit; at least one. */
function fitting(entries: readonly Entry[], columns: number, rows: number): number {
  let free = PAST_SCREENS * rows
  const older = entries.slice(-PAST_ENTRIES).toReversed()
  const at = older.findIndex((entry) => (free -= rowsOf(entry, columns)) < 0)
  return at < 0 ? PAST_ENTRIES : Math.max(1, at)
}

function rowsOf(entry: Entry, columns: number): number {
  const width = Math.max(1, columns - BESIDE_TEXT)
  // Counts a character that may be wide as wide.
  const lines = entryLine(entry)
    .replaceAll(/[^ -~\n]/g, '00')
    .split('\n')
  const rows = lines.reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / width)), 0)
  return (entry.kind === 'message' && isLongText(entry)) || (entry.kind === 'reply' && rows > MOST_LINES)
    ? FOLDED_ROWS
    : rows
}

/** Divides the entries into earlier and later ones than the person's arrival, delivered or not. */
function partsOf(
  known: readonly Entry[],
  held: readonly Entry[],
  after: EntryId | undefined,
  countShown: (past: readonly Entry[]) => number,
): Pick<VisiblePast, 'older' | 'past'> & { readonly since: readonly Entry[] } {
  const [first] = held
  const isPast = ({ id }: Entry): boolean => first === undefined || id < first.id
  const since = new Map(
    [...known.filter((entry) => !isPast(entry)), ...held].map((entry) => [entry.id, entry]),
  )
  const past = known.filter((entry) => isPast(entry) && (after === undefined || changedAt(entry) > after))
  const all = past.filter(({ kind }) => kind !== 'presence')
  const said = all.slice(-countShown(all))
  const isWhole = said.length === all.length && all.length < PAST_ENTRIES
  const isShown = ({ id }: Entry): boolean => isWhole || id >= (said[0]?.id ?? '')
  return {
    older: past.filter((entry) => !isShown(entry)),
    past: past.filter(isShown),
    since: [...since.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/** Returns the id of the entry that last changed the text. */
const changedAt = (entry: Entry): EntryId => (entry.kind === 'message' ? entry.edited : undefined) ?? entry.id

const isQuestionFor = (entry: Entry, person: Person): boolean =>
  isQuestion(entry) && entry.answerers?.includes(person.name) === true
