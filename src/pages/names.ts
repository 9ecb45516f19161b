import type { Entry } from '../chat/entry.ts'
import { fnv1a } from '../lib/hash.ts'
import { markup, type Html } from '../lib/markup.ts'
import { visibleLine } from '../lib/text/visible-text.ts'

/** Colours of people in the stylesheet, `n0` and on; models have `model`, which no person has. */
const PEOPLE = 6

/** The name of whoever spoke or did something. No direction of writing in it reaches beyond it. */
export type AuthorName = (entry: Pick<Entry, 'author' | 'kind'>) => Html

/**
 * The names of one page: the first six people have a colour each that nobody else has, in the order in which they speak; further
 * ones share them.
 */
export function createAuthorNames(): AuthorName {
  const owners = new Map<string, number>()

  function colourOf(name: string): number {
    const own = owners.get(name)
    if (own !== undefined) return own
    if (owners.size === PEOPLE) return fnv1a(name) % PEOPLE
    owners.set(name, owners.size)
    return owners.size - 1
  }

  return ({ author, kind }) => {
    const colour = kind === 'reply' ? 'model' : `n${colourOf(author)}`
    return markup`<b class="name ${colour}"><bdi>${visibleLine(author)}</bdi></b>`
  }
}
