import { DAY_MS } from '../../lib/duration.ts'
import { counted, countedAre } from '../../lib/plural.ts'
import { skeleton } from '../../lib/text/skeleton.ts'
import { Refusal } from '../errors.ts'
import { createLedger } from '../limits/payers.ts'
import type { Peers } from '../peers.ts'
import type { Clock, MonotonicClock } from '../ports.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'
import type { NameStore } from './ports.ts'

/** What a change of name needs to know. */
export interface RenameParts {
  readonly names: NameStore
  readonly clock: Clock & MonotonicClock
  readonly policy: () => { readonly keptNames: number; readonly renamesPerDay: number }
  /** Why nobody with this key can be given the name, in a sentence. */
  readonly whyNotFree: (name: string, key: Fingerprint | undefined) => string | undefined
  readonly onRenamed: (id: PersonId, name: string) => void
  readonly serversOf: Peers['serversOf']
}

/** So long a former name is kept from others. */
const KEPT_DAYS = 30

/** Gives somebody another name, which rooms are told of: so it is done only so often. Throws `Refusal`. */
export function createRename({ names, clock, policy, whyNotFree, onRenamed, serversOf }: RenameParts) {
  const ledger = createLedger(clock, serversOf)

  /** Takes one of the changes that somebody may make, and gives back those that were not made. */
  function take(person: Person, amount: 1 | -1): boolean {
    const { renamesPerDay: burst } = policy()
    return ledger.take(person, amount, { burst, everyMs: DAY_MS / burst }, 0) === 0
  }

  async function store(person: Person, name: string): Promise<void> {
    const at = clock.now()
    const change = { id: person.id, name, skeleton: skeleton(name), at, keptUntil: at + KEPT_DAYS * DAY_MS }
    const { keptNames } = policy()
    const outcome = await names.rename(change, keptNames)
    if (outcome === 'taken') throw new Refusal(`the name ${name} is taken; choose another`)
    if (outcome === 'full') throw new Refusal(tooMany(keptNames))
  }

  return async (person: Person, name: string): Promise<void> => {
    if (person.guest) throw new Refusal("a guest's name comes from their key; log in with a name of your own")
    if (name === person.name) throw new Refusal(`you are called ${name} already`)
    const problem = whyNotFree(name, person.login?.key)
    if (problem) throw new Refusal(problem)
    if (!take(person, 1)) throw new Refusal(tooOften(policy().renamesPerDay))
    try {
      await store(person, name)
    } catch (error) {
      take(person, -1)
      throw error
    }
    onRenamed(person.id, name)
  }
}

const tooOften = (renamesPerDay: number): string =>
  `a name can be changed ${counted(renamesPerDay, 'time')} a day (renames_per_day); try again later`

const tooMany = (keptNames: number): string =>
  `${countedAre(keptNames, 'former name')} kept for you, each for ${KEPT_DAYS} days; you can take one of them, or wait`
