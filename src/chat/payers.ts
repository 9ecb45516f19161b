import type { Person } from './person.ts'

/** Somebody or something whose limit is used up when a person does something. */
export interface Payer {
  /** Unlike all others. */
  readonly name: string
  /** How many people's limit it has. */
  readonly share: number
}

/** As many people can share an address: a school or a company behind one router. */
const PEOPLE_PER_NETWORK = 64

/** The person, all names of their key together, and all who come from their network. */
export function payersOf({ id, login }: Pick<Person, 'id' | 'login'>): readonly Payer[] {
  const person = { name: `person ${id}`, share: 1 }
  if (!login) return [person]
  const network = { name: `network ${login.network}`, share: PEOPLE_PER_NETWORK }
  return [person, { name: `key ${login.key}`, share: 1 }, network]
}
