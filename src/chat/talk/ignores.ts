import type { Entry } from '../entry.ts'
import { Refusal } from '../errors.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Ignored, IgnoredStore } from './ports.ts'

/** Whom somebody ignores, for as long as they have a session; it follows what they change meanwhile. */
export interface Hearing {
  /** False for what somebody they ignore says, does, reacts with or takes back. What a room must know stays heard. */
  hears(entry: Entry): boolean
  hearsFrom(person: PersonId): boolean
  /** To be called once. */
  close(): void
}

/** Who ignores whom. Those who are ignored are not told. */
export interface Ignores {
  /** Rejects with `StorageError`. */
  open(person: Person): Promise<Hearing>
  /** In order of name. Rejects with `StorageError`. */
  list(person: Person): Promise<readonly Ignored[]>
  /** From now on somebody is ignored; throws `Refusal` where that is one too many. */
  add(person: Person, other: Person): Promise<void>
  /** And not any more. */
  remove(person: Person, other: PersonId): Promise<void>
}

/** People that one person can ignore. */
const MAX_IGNORED = 200

interface Kept {
  readonly ready: Promise<void>
  readonly ignored: Map<PersonId, Ignored>
  names: ReadonlySet<string>
  holders: number
}

/** What a guest ignores is kept until their last session ends; what others ignore is stored. */
export function createIgnores(store: IgnoredStore): Ignores {
  const open = new Map<PersonId, Kept>()

  function keep(person: Person): Kept {
    const ignored = new Map<PersonId, Ignored>()
    const read = async (): Promise<void> => {
      const list = await (person.guest ? [] : store.ignoredBy(person.id))
      for (const one of list) ignored.set(one.id, one)
      count(kept)
    }
    const kept: Kept = { ready: read(), ignored, names: new Set(), holders: 0 }
    return kept
  }

  function release(person: Person, kept: Kept): void {
    if (--kept.holders === 0 && open.get(person.id) === kept) open.delete(person.id)
  }

  /** Somebody without a session has a list, too: from a script. */
  async function listOf(person: Person): Promise<readonly Ignored[]> {
    const kept = open.get(person.id)
    if (!kept) return person.guest ? [] : await store.ignoredBy(person.id)
    await kept.ready
    return [...kept.ignored.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  function change(person: Person, how: (ignored: Kept['ignored']) => void): void {
    const kept = open.get(person.id)
    if (!kept) return
    how(kept.ignored)
    count(kept)
  }

  return {
    async open(person) {
      const kept = open.get(person.id) ?? keep(person)
      open.set(person.id, kept)
      kept.holders++
      try {
        await kept.ready
      } catch (error) {
        release(person, kept)
        if (open.get(person.id) === kept) open.delete(person.id)
        throw error
      }
      return {
        hears: (entry) => !kept.names.has(entry.author) || !isPersonal(entry),
        hearsFrom: (id) => !kept.ignored.has(id),
        close: () => release(person, kept),
      }
    },
    list: listOf,
    async add(person, other) {
      if (other.id === person.id) throw new Refusal('you cannot ignore yourself')
      if (person.guest && !open.has(person.id))
        throw new Refusal('a guest can ignore somebody only in a session')
      if ((await listOf(person)).length >= MAX_IGNORED)
        throw new Refusal(`you ignore ${MAX_IGNORED} people already, which is the limit`)
      if (!person.guest) await store.add(person.id, other)
      change(person, (ignored) =>
        ignored.set(other.id, { id: other.id, name: other.name, nameThen: other.name }),
      )
    },
    async remove(person, other) {
      if (!person.guest) await store.remove(person.id, other)
      change(person, (ignored) => ignored.delete(other))
    },
  }
}

function count(kept: Kept): void {
  kept.names = new Set([...kept.ignored.values()].flatMap(({ name, nameThen }) => [name, nameThen]))
}

/** What a room or its tools were changed by is no talk: all are told of that. */
const isPersonal = (entry: Entry): boolean =>
  entry.kind === 'message' ||
  entry.kind === 'action' ||
  (entry.kind === 'notice' && entry.retracts !== undefined)
