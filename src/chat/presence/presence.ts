// Who is in a room, and who is told of comings and goings. It must not know who may come in.
import { createSerial } from '../../lib/serial.ts'
import type { Entry, EntryDraft, Recorded, RoomName } from '../entry.ts'
import { StorageError } from '../errors.ts'
import { SYSTEM } from '../people/names.ts'
import type { HeldPresence, PresenceChange } from './held-presence.ts'
import type { Alarm, Log } from '../ports.ts'

/** Tells a room who comes and goes. Never rejects: people come and go also while nothing can be stored. */
export interface PresenceTeller {
  /** Records the change. In a minute that has enough such lines it is only held, on disk, for the sum at its end. */
  tell(change: PresenceChange): Promise<void>
  /** Sums up now what is held, also what a server that was killed has left. */
  sumUp(): Promise<void>
}

/** What a teller of presence is made of. */
export interface PresenceParts {
  readonly room: RoomName
  /** As `Room.record`; `store` takes the place of appending to the log. */
  readonly record: <Draft extends EntryDraft>(
    draft: Draft,
    store?: (entry: Entry) => Promise<void>,
  ) => Promise<Recorded<Draft>>
  readonly store: HeldPresence
  readonly limits: PresenceLimits
  readonly alarm: Alarm
  readonly log: Log
}

/** The key of `[limits]` that bounds how often a room is told who comes and goes. */
export interface PresenceLimits {
  /** Lines a minute, the sum at its end included. */
  readonly presence_per_min: number
}

const MINUTE_MS = 60_000

/** More changes than this are summed up before the minute is over, so that no entry grows without end. */
const MAX_CHANGES_A_SUM = 500

/** A minute begins with the first line after a minute without any, or with the sum of the minute before. */
export function createPresenceTeller({
  room,
  record,
  store,
  limits,
  alarm,
  log,
}: PresenceParts): PresenceTeller {
  const oneByOne = createSerial()
  let lines = 0
  let held = 0
  let sumsUnderWay = 0

  function countLine(): void {
    if (lines === 0) alarm.later(MINUTE_MS, endMinute)
    lines++
  }

  function endMinute(): void {
    lines = 0
    if (held > 0) void sumUp()
  }

  async function hold(change: PresenceChange): Promise<void> {
    held++
    const stored = store.hold(room, change)
    if (held >= MAX_CHANGES_A_SUM) void sumUp()
    await stored
  }

  async function sumUp(): Promise<void> {
    const taken = held
    held = 0
    if (taken > 0) countLine()
    sumsUnderWay++
    const isDone = await oneByOne(() => survive(recordSums))
    sumsUnderWay--
    // They are on disk: the next minute's end tries again.
    if (!isDone) held += taken
  }

  async function recordSums(): Promise<void> {
    for (;;) {
      const changes = await store.held(room, MAX_CHANGES_A_SUM)
      if (changes.length > 0) await record(sumOf(changes), (entry) => store.sumUp(entry, changes.length))
      if (changes.length < MAX_CHANGES_A_SUM) return
    }
  }

  /** False where it could not be stored; then the others are not told. */
  async function survive(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason, room }, 'a coming or going was not stored')
      return false
    }
  }

  return {
    sumUp,
    async tell(change) {
      // While some are held, others must not overtake them.
      if (held > 0 || lines >= limits.presence_per_min) return void (await survive(() => hold(change)))
      countLine()
      // Nobody is said to have left before they are said to have come.
      if (sumsUnderWay > 0) await oneByOne(() => undefined)
      await survive(() => record(lineOf(change)))
    },
  }
}

const lineOf = ({ name, event }: PresenceChange): EntryDraft => ({
  kind: 'presence',
  author: SYSTEM,
  event,
  text: `${name} ${event}`,
})

/** One entry for all of them, and the usual one for a single change. */
export function sumOf(changes: readonly PresenceChange[]): EntryDraft {
  const [first] = changes
  if (first && changes.length === 1) return lineOf(first)
  const names = (wanted: PresenceChange['event']): readonly string[] =>
    changes.filter(({ event }) => event === wanted).map(({ name }) => name)
  const [joined, left] = [names('joined'), names('left')]
  return { kind: 'presence', author: SYSTEM, event: 'summed', joined, left, text: sumText(changes) }
}

/** What the changes of one person come to, by the first and the last of them. */
const COURSES = {
  'joined joined': 'joined',
  'left left': 'left',
  'joined left': 'came and went',
  'left joined': 'left and came back',
} as const

/** `12 people joined, 3 left, 5 came and went`: each person once, by what they did in the end. */
function sumText(changes: readonly PresenceChange[]): string {
  const first = new Map(changes.toReversed().map(({ name, event }) => [name, event]))
  const last = new Map(changes.map(({ name, event }) => [name, event]))
  const courses = [...first].map(([name, event]) => COURSES[`${event} ${last.get(name) ?? event}`])
  return Object.values(COURSES)
    .map((course) => ({ course, count: courses.filter((one) => one === course).length }))
    .filter(({ count }) => count > 0)
    .map(({ course, count }, index) => `${index === 0 ? people(count) : count} ${course}`)
    .join(', ')
}

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`)
