import type { Person, PersonId } from '../people/person.ts'
import type { Participant } from '../ports.ts'

/** Who is in a room. Its lists change only as people come and go: they are asked for with every entry. */
export interface PresentPeople {
  /** Whether somebody is here through this server. */
  has(person: Pick<Person, 'id'>): boolean
  add(participant: Participant): void
  /** False for one that is not here. */
  remove(participant: Participant): boolean
  /** Puts the people in order again: somebody's name has changed. */
  sort(): void
  /** Each person once, in order of name, also those who are here through other servers. */
  people(): readonly Person[]
  /** All of this server that is delivered to, each person's together. A list that was given out never changes. */
  participants(): readonly Participant[]
}

/** `remote`: the people who are here through other servers; the same list as long as they are the same. */
export function createPresent(remote: () => readonly Person[] = () => NOBODY): PresentPeople {
  const terminals = new Map<PersonId, Set<Participant>>()
  let people: readonly Person[] = []
  let everybody: readonly Person[] | undefined
  /** The others that `everybody` has. It is looked each time: a room that nobody here hears is not told of them. */
  let known: readonly Person[] | undefined
  let participants: readonly Participant[] | undefined

  /** Those of here as they are, the others in between. */
  function withOthers(): readonly Person[] {
    known = remote()
    const others = known.filter(({ id }) => !terminals.has(id))
    return others.length === 0 ? people : inOrder([...people, ...others])
  }

  function changeTo(next: readonly Person[]): void {
    people = next
    everybody = undefined
  }

  return {
    has: ({ id }) => terminals.has(id),
    people: () => (everybody = known === remote() && everybody ? everybody : withOthers()),
    sort: () => changeTo(inOrder(people)),
    participants: () => (participants ??= [...terminals.values()].flatMap((theirs) => [...theirs])),
    add(participant) {
      const { person } = participant
      const theirs = terminals.get(person.id)
      if (theirs) theirs.add(participant)
      else {
        terminals.set(person.id, new Set([participant]))
        changeTo(withPerson(people, person))
      }
      participants = undefined
    },
    remove(participant) {
      const { id } = participant.person
      const theirs = terminals.get(id)
      if (!theirs?.delete(participant)) return false
      if (theirs.size === 0) {
        terminals.delete(id)
        changeTo(people.filter((one) => one.id !== id))
      }
      participants = undefined
      return true
    },
  }
}

const NOBODY: readonly Person[] = []

const inOrder = (people: readonly Person[]): readonly Person[] =>
  people.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** By halves: a room of thousands is asked for few of its names. */
function withPerson(people: readonly Person[], person: Person): readonly Person[] {
  const { name } = person
  let [from, to] = [0, people.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((people[middle]?.name ?? '') > name) to = middle
    else from = middle + 1
  }
  return people.toSpliced(from, 0, person)
}
