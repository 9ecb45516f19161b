import type { Entry } from '../entry.ts'
import { keyOfGuest, type Fingerprint, type Person, type PersonId } from '../people/person.ts'
import type { Ignored, Sender } from './ports.ts'

/** Those whom one person ignores, with all that they are known by. Nothing of it is stored. */
export interface IgnoredPeople {
  /** By their ids. */
  all(): ReadonlyMap<PersonId, Ignored>
  put(one: Ignored): void
  remove(id: PersonId): void
  /** These are stored now. What is known of them beyond that stays known. */
  replaceBy(stored: readonly Ignored[]): void
  /** Somebody has come in with this key. */
  cameIn(person: Pick<Person, 'id' | 'name'>, key: Fingerprint): void
  isAuthor(entry: Pick<Entry, 'by' | 'author'>): boolean
  isSender(sender: Pick<Sender, 'id' | 'key'>): boolean
}

export function createIgnoredPeople(): IgnoredPeople {
  const ignored = new Map<PersonId, Ignored>()
  /** All of these are made from `ignored`. */
  let names = new Set<string>()
  let people = new Set<PersonId>()
  let keys = new Set<Fingerprint>()

  function count(): void {
    const all = [...ignored.values()]
    names = new Set(
      all.flatMap(({ name, nameThen, sameKey }) => [name, nameThen, ...sameKey.map((one) => one.name)]),
    )
    people = new Set(all.flatMap(({ id, sameKey }) => [id, ...sameKey.map((one) => one.id)]))
    keys = new Set(all.flatMap((one) => one.keys))
  }

  const isSender = ({ id, key = keyOfGuest(id) }: Pick<Sender, 'id' | 'key'>): boolean =>
    people.has(id) || (key !== undefined && keys.has(key))

  return {
    all: () => ignored,
    put(one) {
      ignored.set(one.id, one)
      count()
    },
    remove(id) {
      ignored.delete(id)
      count()
    },
    replaceBy(stored) {
      const known = new Map(ignored)
      ignored.clear()
      for (const one of stored) ignored.set(one.id, withWhatIsKnown(one, known.get(one.id)))
      count()
    },
    cameIn(person, key) {
      if (!ignored.has(person.id) && !keys.has(key)) return
      for (const [id, one] of ignored) ignored.set(id, metAgain(one, person, key))
      count()
    },
    // An entry of an old log has only a name.
    isAuthor: ({ by, author }) => (by === undefined ? names.has(author) : isSender({ id: by })),
    isSender,
  }
}

/** A key that came in with a certificate is stored nowhere. */
function withWhatIsKnown(stored: Ignored, known: Ignored | undefined): Ignored {
  if (!known) return stored
  const same = known.sameKey.filter(({ id }) => !stored.sameKey.some((one) => one.id === id))
  return {
    ...stored,
    keys: [...new Set([...stored.keys, ...known.keys])],
    sameKey: [...stored.sameKey, ...same],
  }
}

/** The same, with the key or the name that came in. */
function metAgain(one: Ignored, { id, name }: Pick<Person, 'id' | 'name'>, key: Fingerprint): Ignored {
  const hasKey = one.keys.includes(key)
  if (one.id === id) return hasKey ? one : { ...one, keys: [...one.keys, key] }
  if (!hasKey || one.sameKey.some((same) => same.id === id)) return one
  return { ...one, sameKey: [...one.sameKey, { id, name }] }
}
