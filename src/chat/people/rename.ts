import { skeleton } from '../../lib/text/skeleton.ts'
import { Refusal } from '../errors.ts'
import type { Clock } from '../ports.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'
import type { NameStore } from './ports.ts'

/** What a change of name needs to know. */
export interface RenameParts {
  readonly names: NameStore
  readonly clock: Clock
  readonly policy: () => { readonly keptNames: number }
  /** Why nobody with this key can be given the name, in a sentence. */
  readonly whyNotFree: (name: string, key: Fingerprint | undefined) => string | undefined
  readonly onRenamed: (id: PersonId, name: string) => void
}

/** So long a former name is kept from others. */
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

/** Gives somebody another name. Throws `Refusal`. */
export function createRename({ names, clock, policy, whyNotFree, onRenamed }: RenameParts) {
  return async (person: Person, name: string): Promise<void> => {
    if (person.guest) throw new Refusal('the name of a guest is lent; log in with a name of your own')
    if (name === person.name) throw new Refusal(`you are called ${name} already`)
    const problem = whyNotFree(name, person.login?.key)
    if (problem) throw new Refusal(problem)
    const at = clock.now()
    const change = { id: person.id, name, skeleton: skeleton(name), at, keptUntil: at + KEPT_DAYS * DAY_MS }
    const { keptNames } = policy()
    const outcome = await names.rename(change, keptNames)
    if (outcome === 'taken') throw new Refusal(`the name ${name} is taken; choose another`)
    if (outcome === 'full') throw new Refusal(tooMany(keptNames))
    onRenamed(person.id, name)
  }
}

const tooMany = (keptNames: number): string =>
  `${keptNames} former names are kept for you, each for ${KEPT_DAYS} days; you can take one of them, or wait`
