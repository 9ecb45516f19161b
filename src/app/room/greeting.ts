import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'

/** Who else is in the room, and what somebody who is new can type: a line each. */
export type Greeting = (room: Room, person: Person) => readonly string[]

/** What a greeting tells of; all of it is asked each time. */
export interface GreetingParts {
  readonly models: () => readonly GreetedModel[]
  /** Whether there is no admin yet. */
  readonly isClaimable: () => boolean
  /** False while lines of other servers come later than usual, which admins are told. */
  readonly isBusUp: () => boolean
  /** How the servers differ, which admins are told. */
  readonly differences: () => readonly string[]
}

/** A model, as far as a greeting names it. */
interface GreetedModel {
  readonly name: string
  readonly backend: string
  readonly enabled: boolean
}

const MAX_NAMES = 8

const BUS_AWAY =
  'the bus between the servers is away: lines of other servers come up to a second later; the log says why'

export const createGreeting =
  ({ models, isClaimable, isBusUp, differences }: GreetingParts): Greeting =>
  (room, person) => {
    return [
      ...(person.admin
        ? [...(isBusUp() ? [] : [BUS_AWAY]), ...differences()].map((line) => `-- ${line}`)
        : []),
      `-- ${hereLine(room.present(), person)}`,
      `-- ${typeLine(models(), isClaimable() && !person.guest)}`,
    ]
  }

/** `present` has the person, too. */
function hereLine(present: readonly Person[], { id }: Person): string {
  if (present.length <= 1) return 'nobody else is here now'
  const others = present.slice(0, MAX_NAMES + 1).filter((one) => one.id !== id)
  const names = others.slice(0, MAX_NAMES).map(({ name }) => name)
  const more = present.length - 1 - names.length
  return `here: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} and you`
}

function typeLine(models: readonly GreetedModel[], mayClaim: boolean): string {
  const parts = ['type to speak', askLine(models), '/help lists the commands']
  return [...parts, ...(mayClaim ? ['nobody is admin yet: /claim CODE'] : [])].join('; ')
}

/** The guide is always there; of the others, the first one and where it was found. */
function askLine(models: readonly GreetedModel[]): string {
  const [first, ...more] = models.filter(({ backend, enabled }) => enabled && backend !== 'guide')
  if (!first) return '@guide shows you around'
  const source = first.backend === 'ollama' ? ' (Ollama)' : ''
  const rest = more.length > 0 ? `; /models lists ${more.length} more` : ''
  return `@guide shows you around, @${first.name}${source} answers${rest}`
}
