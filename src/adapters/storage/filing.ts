import { problemWithName } from '../../chat/people/names.ts'
import { whyReserved } from '../../chat/people/reserved-names.ts'
import type { NamesFiled } from '../../chat/people/name-filing.ts'
import { look, skeleton } from '../../lib/text/skeleton.ts'
import { UNICODE_SECURITY_VERSION } from '../../lib/text/unicode-security.ts'

/** Changes with Unicode's tables, what skeleton.ts makes of them, and what is reserved: the number is ours. */
export const RULES = `${UNICODE_SECURITY_VERSION}/3`

/** Somebody whose name is to be filed. */
export interface NameRow {
  readonly id: string
  readonly name: string
}

/** What a name is filed under. */
export interface FiledName {
  readonly id: string
  readonly skeleton: string
  readonly look: string
}

/**
 * Files all names, who had theirs first before the others. Two people keep one name where older rules let both have it: it is found
 * under the one who had it first, and the other still comes in with their own key.
 */
export function fileEach(people: readonly NameRow[]): {
  readonly filed: readonly FiledName[]
  readonly found: NamesFiled
} {
  const taken = new Map<string, string>()
  const filed: FiledName[] = []
  const alike = people.flatMap(({ id, name }) => {
    const marks = [skeleton(name), look(name)] as const
    const other = marks.map((mark) => taken.get(mark)).find((known) => known !== undefined)
    filed.push({ id, skeleton: taken.has(marks[0]) ? secondOf(marks[0], id) : marks[0], look: marks[1] })
    for (const mark of marks) if (!taken.has(mark)) taken.set(mark, name)
    return other === undefined ? [] : [{ name, like: other }]
  })
  return {
    filed,
    found: { names: people.length, alike, unfit: people.map(({ name }) => name).filter(isUnfit) },
  }
}

const isUnfit = (name: string): boolean => (problemWithName(name) ?? whyReserved(name)) !== undefined

/** Sorts behind the skeleton itself and before all others, so that a login finds both in one range. */
const secondOf = (mark: string, id: string): string => `${mark} ${id}`
