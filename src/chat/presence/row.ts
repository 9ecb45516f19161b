import { keysOf } from '../../lib/keys-of.ts'
import type { Entry, PresenceEntry, PresenceSumEntry } from '../entry.ts'
import { SYSTEM } from '../people/names.ts'
import { type Courses, createCourses } from './sum.ts'

/** Somebody came or went, or many did. */
export type Coming = PresenceEntry | PresenceSumEntry

/** Comings and goings that nothing stands between, and the one line for them. */
export interface Row {
  add(entry: Coming): void
  /** How many entries. */
  length(): number
  /** The last entry, in the words of all of them. `columns`: the cells that it may take. Throws where there is none. */
  line(columns: number): Entry
}

/**
 * An empty one. It grows without being gone through again: with five hundred people who come in, each screen has a row of up to two
 * hundred, and is drawn twice a second.
 */
export function createRow(): Row {
  const joined: string[] = []
  const left: string[] = []
  const courses = createCourses()
  let length = 0
  let last: Coming | undefined
  const note = (name: string, event: 'joined' | 'left'): void => {
    courses.add({ name, event })
    ;(event === 'joined' ? joined : left).push(name)
  }
  /** A sum does not tell in which order somebody came and went: whoever was there before it has left first. */
  function noteSum(sum: PresenceSumEntry): void {
    const back = new Set(sum.left.filter((name) => courses.isThere(name)))
    for (const name of back) note(name, 'left')
    for (const name of sum.joined) note(name, 'joined')
    for (const name of sum.left) if (!back.has(name)) note(name, 'left')
  }
  return {
    add(entry) {
      if (entry.event !== 'summed') note(nameIn(entry), entry.event)
      else noteSum(entry)
      last = entry
      length += 1
    },
    length: () => length,
    line(columns) {
      if (!last) throw new TypeError('there is no line for an empty row')
      if (length === 1) return last
      const { id, at, room } = last
      const text = rowText(courses, columns)
      const names = { joined: [...joined], left: [...left] }
      return { id, at, room, kind: 'presence', author: SYSTEM, event: 'summed', ...names, text }
    },
  }
}

/** The line for comings and goings that are known. */
export function lineFor(entries: readonly Coming[], columns: number): Entry {
  const row = createRow()
  for (const entry of entries) row.add(entry)
  return row.line(columns)
}

/** Who came or went. */
export const nameIn = ({ text, event }: PresenceEntry): string => text.slice(0, -` ${event}`.length)

/** What follows a number, for each course; in this order in a line. */
const COUNTED = {
  joined: 'came',
  left: 'left',
  'came and went': 'came and went',
  'left and came back': 'left and came back',
} as const

/** `ann, bob joined · cy left`, or `3 came · 1 left` where the names do not fit. */
function rowText(courses: Courses, columns: number): string {
  const taken = keysOf(COUNTED).filter((course) => courses.count(course) > 0)
  // Each name has a cell at least: names that cannot fit are not looked at.
  const named =
    courses.size() < columns ? taken.map((course) => `${courses.names(course).join(', ')} ${course}`) : []
  const text = named.join(SEPARATOR)
  if (named.length > 0 && mostCellsOf(text) + LABEL_CELLS <= columns) return text
  return taken.map((course) => `${courses.count(course)} ${COUNTED[course]}`).join(SEPARATOR)
}

const SEPARATOR = ' · '
/** Of the mark before what the room says, `-- `. */
const LABEL_CELLS = 3

/** No terminal gives a character that is not ASCII more than two cells a UTF-16 unit. */
const mostCellsOf = (text: string): number => text.length + text.replace(/[ -~]/g, '').length
