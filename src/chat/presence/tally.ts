import { keysOf } from '../../base/basics.ts'
import type { Entry, NewEntry, PresenceEntry, PresenceSumEntry } from '../../words/entry.ts'
import { SYSTEM } from '../../words/names.ts'

export interface PresenceChange {
  readonly name: string
  readonly event: 'joined' | 'left'
}

export type PresenceLine = PresenceEntry | PresenceSumEntry

/** The first and the last change of a person, by the words for both. */
const COURSES = {
  joined: ['joined'],
  left: ['left'],
  'came and went': ['joined', 'left'],
  'left and came back': ['left', 'joined'],
} as const
type Course = keyof typeof COURSES

const AFTER = {
  joined: { joined: 'joined', left: 'came and went' },
  left: { joined: 'left and came back', left: 'left' },
  'came and went': { joined: 'joined', left: 'came and went' },
  'left and came back': { joined: 'left and came back', left: 'left' },
} as const satisfies Record<Course, Record<PresenceChange['event'], Course>>

/** Sums up comings and goings: each person once, in the order of their first change. */
export class Tally {
  readonly #people = new Map<string, Course>()

  get size(): number {
    return this.#people.size
  }

  add({ name, event }: PresenceChange): void {
    const before = this.#people.get(name)
    this.#people.set(name, before === undefined ? event : AFTER[before][event])
  }

  /** A sum has no order: a person who was here before it counts as having left first. */
  addEntry(entry: PresenceLine): void {
    if (entry.event !== 'summed') return this.add({ name: nameOf(entry), event: entry.event })
    const back = new Set(entry.left.filter((name) => this.#isHere(name)))
    for (const name of back) this.add({ name, event: 'left' })
    for (const name of entry.joined) this.add({ name, event: 'joined' })
    for (const name of entry.left) if (!back.has(name)) this.add({ name, event: 'left' })
  }

  addTally(later: Tally): void {
    for (const [name, course] of later.#people) for (const event of COURSES[course]) this.add({ name, event })
  }

  forgetVisits(): void {
    for (const [name, course] of this.#people) if (COURSES[course].length > 1) this.#people.delete(name)
  }

  /** `12 people joined, 3 left`, or the usual entry for a single change. */
  draft(): NewEntry {
    const [[name, course] = ['', undefined]] = this.#people
    if (this.size === 1 && (course === 'joined' || course === 'left')) return lineOf({ name, event: course })
    return { kind: 'presence', author: SYSTEM, event: 'summed', ...this.#names(), text: this.#numbers() }
  }

  /** A line with the last entry's id and time. It has names if they fit into 80 or `columns` cells. */
  lineAt({ id, at, room }: PresenceLine, columns: number): Entry {
    const text = this.#shortText(columns)
    return { id, at, room, kind: 'presence', author: SYSTEM, event: 'summed', ...this.#names(), text }
  }

  #isHere(name: string): boolean {
    const course = this.#people.get(name)
    return course === 'joined' || course === 'left and came back'
  }

  /** `ann, bob joined · cy left`, or `3 people joined, 1 left` if the names do not fit. */
  #shortText(columns: number): string {
    const counts = this.#counts()
    const most = Math.max(columns, NAMED_CELLS)
    // Each name has at least one cell, so more names than cells cannot fit.
    if (this.size < most) {
      const text = counts.map(([course]) => `${this.#whose([course]).join(', ')} ${course}`).join(SEPARATOR)
      if (mostCellsOf(text) + LABEL_CELLS <= most) return text
    }
    return this.#numbers()
  }

  #numbers(): string {
    return this.#counts()
      .map(([course, count], index) => `${index === 0 ? people(count) : count} ${course}`)
      .join(', ')
  }

  #counts(): readonly (readonly [Course, number])[] {
    const counts = new Map<Course, number>()
    for (const course of this.#people.values()) counts.set(course, (counts.get(course) ?? 0) + 1)
    return keysOf(COURSES).flatMap((course) => {
      const count = counts.get(course)
      return count === undefined ? [] : [[course, count] as const]
    })
  }

  #names() {
    const both = ['came and went', 'left and came back'] as const
    return { joined: this.#whose(['joined', ...both]), left: this.#whose(['left', ...both]) }
  }

  #whose(courses: readonly Course[]): readonly string[] {
    return [...this.#people].flatMap(([name, course]) => (courses.includes(course) ? [name] : []))
  }
}

export const lineOf = ({ name, event }: PresenceChange): NewEntry => ({
  kind: 'presence',
  author: SYSTEM,
  event,
  text: `${name} ${event}`,
})

export const nameOf = ({ text, event }: PresenceEntry): string => text.slice(0, -` ${event}`.length)

const SEPARATOR = ' · '
/** Names that fit into this many cells are shown on narrow screens too, on several lines. */
const NAMED_CELLS = 80
/** Cells of the mark `-- ` before the text. */
const LABEL_CELLS = 3

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`)

/** No terminal gives a character that is not ASCII more than two cells a UTF-16 unit. */
const mostCellsOf = (text: string): number => text.length + text.replace(/[ -~]/g, '').length
