import type { EntryDraft } from '../entry.ts'
import { SYSTEM } from '../people/names.ts'
import type { PresenceChange } from './held-presence.ts'

/** The entry that says that one person came or went. */
export const lineOf = ({ name, event }: PresenceChange): EntryDraft => ({
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

type Course = (typeof COURSES)[keyof typeof COURSES]

/** What each person did in the end, in the order in which they first did anything. */
export function coursesOf(changes: readonly PresenceChange[]): ReadonlyMap<string, Course> {
  const first = firstOf(changes)
  return new Map(
    [...lastOf(changes)].map(([name, event]) => [name, COURSES[`${first.get(name) ?? event} ${event}`]]),
  )
}

/** `12 people joined, 3 left, 5 came and went`: each person once, by what they did in the end. */
function sumText(changes: readonly PresenceChange[]): string {
  const courses = [...coursesOf(changes).values()]
  return Object.values(COURSES)
    .map((course) => ({ course, count: courses.filter((one) => one === course).length }))
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
