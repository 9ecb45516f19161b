import type { Person, PersonId } from '../../words/person.ts'
import type { Participant } from '../ports.ts'

/** Who is in a room. Its lists, which every entry uses, are rebuilt only when people come and go. */
export class Roster {
  readonly #remote: () => readonly Person[]
  readonly #terminals = new Map<PersonId, Set<Participant>>()
  #people: readonly Person[] = []
  /** A cache. `remote` is compared each time, because a room without listeners hears of no changes. */
  #everybody: { readonly remote: readonly Person[]; readonly people: readonly Person[] } | undefined
  #participants: readonly Participant[] | undefined

  /** `remote`: the people who are here through other servers; the same list as long as they are the same. */
  constructor(remote: () => readonly Person[] = () => NOBODY) {
    this.#remote = remote
  }

  has({ id }: Pick<Person, 'id'>): boolean {
    return this.#terminals.has(id)
  }

  add(participant: Participant): void {
    const { person } = participant
    const terminals = this.#terminals.get(person.id) ?? new Set()
    if (terminals.size === 0) this.#change(inOrder([...this.#people, person]))
    this.#terminals.set(person.id, terminals.add(participant))
    this.#participants = undefined
  }

  remove(participant: Participant): boolean {
    const { id } = participant.person
    const terminals = this.#terminals.get(id)
    if (!terminals?.delete(participant)) return false
    if (terminals.size === 0) {
      this.#terminals.delete(id)
      this.#change(this.#people.filter((one) => one.id !== id))
    }
    this.#participants = undefined
    return true
  }

  sort(): void {
    this.#change(inOrder(this.#people))
  }

  /** Each person once, in order of name, with people on other servers. */
  people(): readonly Person[] {
    const remote = this.#remote()
    if (this.#everybody?.remote !== remote) {
      const others = remote.filter((person) => !this.has(person))
      const people = others.length === 0 ? this.#people : inOrder([...this.#people, ...others])
      this.#everybody = { remote, people }
    }
    return this.#everybody.people
  }

  /** All participants of this server, grouped by person. A returned list never changes. */
  participants(): readonly Participant[] {
    return (this.#participants ??= [...this.#terminals.values()].flatMap((theirs) => [...theirs]))
  }

  #change(people: readonly Person[]): void {
    this.#people = people
    this.#everybody = undefined
  }
}

const NOBODY: readonly Person[] = []

const inOrder = (people: readonly Person[]): readonly Person[] =>
  people.toSorted((a, b) => (a.name < b.name ? -1 : 1))
