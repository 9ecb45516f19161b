import type { Person } from '../words/person.ts'
import type { Room } from '../chat/index.ts'

interface GreetedModel {
  readonly name: string
  readonly backend: string
  readonly enabled: boolean
}

const MAX_NAMES = 8

/** Returns lines that say who else is in the room and, for a newcomer, what to type. */
export type Greeting = ReturnType<typeof createGreeting>

export const createGreeting =
  ({
    models,
    isClaimable,
    troubles,
  }: {
    readonly models: () => readonly GreetedModel[]
    readonly isClaimable: () => boolean
    readonly troubles: () => readonly string[]
  }) =>
  (room: Room, person: Person, { earlierLogins, zone }: ComingIn): readonly string[] => {
    const mayClaim = isClaimable() && !person.guest
    const isNew = earlierLogins < NEW_LOGINS
    return [
      ...(person.admin ? troubles() : []),
      peopleHereLine(room.present(), person),
      ...(isNew || mayClaim ? [typeLine(models(), mayClaim)] : []),
      ...(earlierLogins === 0 && zone === 'UTC' ? ['times are UTC; /set timezone'] : []),
    ].map((line) => `-- ${line}`)
  }

interface ComingIn {
  /** Counted up to 2. */
  readonly earlierLogins: number
  /** Undefined for a pipe, which shows no times. */
  readonly zone: string | undefined
}

/** Logins that get the hints for newcomers. */
const NEW_LOGINS = 2

/** `present` includes the person. */
export function peopleHereLine(present: readonly Person[], { id }: Person): string {
  if (present.length <= 1) return 'nobody else is here now'
  const others = present.slice(0, MAX_NAMES + 1).filter((one) => one.id !== id)
  const names = others.slice(0, MAX_NAMES).map(({ name }) => name)
  const more = present.length - 1 - names.length
  return `here: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} and you`
}

function typeLine(models: readonly GreetedModel[], mayClaim: boolean): string {
  const claim = mayClaim ? '; nobody is admin yet: /claim CODE' : ''
  return `type to speak; ${askLine(models)}; /help lists the commands${claim}`
}

function askLine(models: readonly GreetedModel[]): string {
  const asked = models.filter(({ backend, enabled }) => enabled && backend !== 'guide')
  const [first, second, ...more] = asked.map(
    ({ name, backend }) => `@${name}${backend === 'ollama' ? ' (Ollama)' : ''}`,
  )
  if (first === undefined) return GUIDE
  if (second === undefined) return `${GUIDE}, ${first} answers`
  if (more.length === 0) return `${GUIDE}, ${first} and ${second} answer`
  return `${GUIDE}, ${first}, ${second} and ${more.length} more answer, see /models`
}

const GUIDE = '@guide shows you around'

interface Answering {
  readonly personas?: readonly { readonly name: string; readonly model: string }[]
  /** The model of a talk, and the name of the person whose lines it answers. */
  readonly talk?: { readonly model: string; readonly person: string } | undefined
}

/** Says which models and personas listen in the room, with their providers; empty for none. */
export function listeningLine(
  listeners: readonly string[],
  models: readonly Pick<GreetedModel, 'name' | 'backend'>[],
  { personas = [], talk }: Answering = {},
): string {
  const providerOf = (model: string): string | undefined => models.find(({ name }) => name === model)?.backend
  const described = (listener: string): string => {
    // A configured model wins over a persona of the same name.
    const own = providerOf(listener)
    if (own !== undefined) return `@${listener} (through ${own})`
    const model = personas.find(({ name }) => name === listener)?.model
    const provider = model === undefined ? undefined : providerOf(model)
    return provider === undefined ? `@${listener}` : `@${listener} (@${model}, through ${provider})`
  }
  const names = listeners.map(described).join(', ')
  const parts = [
    talk && `${described(talk.model)} answers each line of ${talk.person} here`,
    names && `${names} ${listeners.length === 1 ? 'listens' : 'listen'} here to lines that mention nobody`,
  ].filter(Boolean)
  return parts.length === 0 ? '' : `-- ${parts.join('; ')}`
}
