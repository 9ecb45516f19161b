import type { NewEntry } from '../entry.ts'
import { SYSTEM } from '../people/names.ts'
import type { PresenceChange } from './held-presence.ts'

/** The entry that says that one person came or went. */
export const lineOf = ({ name, event }: PresenceChange): NewEntry => ({
  kind: 'presence',
  author: SYSTEM,
  event,
  text: `${name} ${event}`,
})

/** One entry for all of them, and the usual one for a single change. */
export function sumOf(changes: readonly PresenceChange[]): NewEntry {
  const [first] = changes
  if (first && changes.length === 1) return lineOf(first)
  const names = (wanted: PresenceChange['event']): readonly string[] =>
    changes.filter(({ event }) => event === wanted).map(({ name }) => name)
  const [joined, left] = [names('joined'), names('left')]
  return { kind: 'presence', author: SYSTEM, event: 'summed', joined, left, text: sumText(changes) }
}

/** What a person did in the end, by the first and the last of their changes; in this order in a sum. */
const COURSES = ['joined', 'left', 'came and went', 'left and came back'] as const
export type Course = (typeof COURSES)[number]

/** What a course becomes with one more change. */
const AFTER = {
  joined: { joined: 'joined', left: 'came and went' },
  left: { joined: 'left and came back', left: 'left' },
  'came and went': { joined: 'joined', left: 'came and went' },
  'left and came back': { joined: 'left and came back', left: 'left' },
} as const satisfies Record<Course, Record<PresenceChange['event'], Course>>

/** What each of some people did in the end, kept while changes come: in a crowd it is asked after each of them. */
export interface Courses {
  add(change: PresenceChange): void
  /** Whether somebody is there after what they did; undefined where nothing of them is known. */
  isThere(name: string): boolean | undefined
  /** How many people there are. */
  size(): number
  /** How many of them took this course. */
  count(course: Course): number
  /** Who took it, in the order in which they first did anything. */
  names(course: Course): readonly string[]
}

/** Of nobody at first. */
export function createCourses(): Courses {
  const people = new Map<string, Course>()
  const counts = new Map<Course, number>()
  const count = (course: Course, more: 1 | -1): unknown =>
    counts.set(course, (counts.get(course) ?? 0) + more)
  return {
    add({ name, event }) {
      const before = people.get(name)
      const course = before === undefined ? event : AFTER[before][event]
      if (before === course) return
      if (before !== undefined) count(before, -1)
      count(course, 1)
      people.set(name, course)
    },
    isThere(name) {
      const course = people.get(name)
      return course === undefined ? undefined : course === 'joined' || course === 'left and came back'
    },
    size: () => people.size,
    count: (course) => counts.get(course) ?? 0,
    names: (wanted) => [...people].flatMap(([name, course]) => (course === wanted ? [name] : [])),
  }
}

/** `12 people joined, 3 left, 5 came and went`: each person once, by what they did in the end. */
function sumText(changes: readonly PresenceChange[]): string {
  const courses = createCourses()
  for (const change of changes) courses.add(change)
  return COURSES.map((course) => ({ course, count: courses.count(course) }))
    .filter(({ count }) => count > 0)
    .map(({ course, count }, index) => `${index === 0 ? people(count) : count} ${course}`)
    .join(', ')
}

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`)

/** Without those who are again where they were: one change for each of the others, their last. */
export function netOf(changes: readonly PresenceChange[]): PresenceChange[] {
  const first = firstOf(changes)
  return [...lastOf(changes)]
    .filter(([name, event]) => first.get(name) === event)
    .map(([name, event]) => ({ name, event }))
}

const firstOf = (changes: readonly PresenceChange[]) => lastOf(changes.toReversed())

const lastOf = (changes: readonly PresenceChange[]): ReadonlyMap<string, PresenceChange['event']> =>
  new Map(changes.map(({ name, event }) => [name, event]))
