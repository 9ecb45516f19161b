import type { Entry } from '../entry.ts'
import { Refusal } from '../errors.ts'
import { keyOfGuest, type Fingerprint, type Person, type PersonId } from '../people/person.ts'
import { createIgnoredPeople, type IgnoredPeople } from './ignored-people.ts'
import type { Ignored, IgnoredStore, Sender } from './ports.ts'

/** Whom somebody ignores, for as long as they have a session; it follows what they change meanwhile. */
export interface Hearing {
  /** False for what somebody they ignore says, does, reacts with, takes back or runs. What a room must know stays heard. */
  hears(entry: Entry): boolean
  hearsFrom(sender: Pick<Sender, 'id' | 'key'>): boolean
  /** To be called once. */
  close(): void
}

/** Who ignores whom: somebody is ignored under all their names, and so are all who have a key of theirs. They are not told. */
export interface Ignores {
  /** Rejects with `StorageError`. */
  open(person: Pick<Person, 'id' | 'name' | 'guest'>): Promise<Hearing>
  /** In order of name. Rejects with `StorageError`. */
  list(person: Person): Promise<readonly Ignored[]>
  /** From now on somebody is ignored; throws `Refusal` where that is one too many. */
  add(person: Person, other: Person): Promise<void>
  /** Whether the first ignores the other one. Rejects with `StorageError`. */
  isIgnored(person: Person, other: Person): Promise<boolean>
  /** And not any more. */
  remove(person: Person, other: PersonId): Promise<void>
  /** Somebody has come in with this key, perhaps under a name that is new. */
  cameIn(person: Pick<Person, 'id' | 'name'>, key: Fingerprint): void
  /** Another server may have changed whom these ignore. Rejects with `StorageError`. */
  readAgain(people: readonly PersonId[]): Promise<void>
  /** Whether anybody who is there ignores somebody: otherwise nobody need be told who came in. */
  isAnybodyIgnored(): boolean
}

/** People that one person can ignore. */
const MAX_IGNORED = 200

interface Kept {
  readonly ready: Promise<void>
  readonly ignored: IgnoredPeople
  holders: number
  /** Counts what this server changed: what was read before is too old then. */
  changes: number
}

/** What a guest ignores is kept until their last session ends; what others ignore is stored. */
export function createIgnores(store: IgnoredStore): Ignores {
  const open = new Map<PersonId, Kept>()

  function keep(person: Pick<Person, 'id' | 'guest'>): Kept {
    const ignored = createIgnoredPeople()
    const read = async (): Promise<void> => {
      // Somebody may have been added meanwhile.
      for (const one of await (person.guest ? [] : store.ignoredBy(person.id))) ignored.put(one)
    }
    return { ready: read(), ignored, holders: 0, changes: 0 }
  }

  function release(person: Pick<Person, 'id'>, kept: Kept): void {
    if (--kept.holders === 0 && open.get(person.id) === kept) open.delete(person.id)
  }

  /** The store knows what they are called now. */
  async function listOf(person: Person): Promise<readonly Ignored[]> {
    if (!person.guest) return await store.ignoredBy(person.id)
    const kept = open.get(person.id)
    return [...(kept?.ignored.all().values() ?? [])].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  function change(person: Person, how: (ignored: IgnoredPeople) => void): void {
    const kept = open.get(person.id)
    if (!kept) return
    how(kept.ignored)
    kept.changes++
  }

  /** What is known of somebody who is ignored from now on. What a guest ignores is not stored, so only their key is known. */
  async function facts(person: Person, { id, name, login }: Person): Promise<Ignored> {
    const stored = person.guest ? [] : await store.ignoredBy(person.id)
    const keys = login ? [login.key] : []
    return stored.find((one) => one.id === id) ?? { id, name, nameThen: name, keys, sameKey: [] }
  }

  async function readOne(person: PersonId): Promise<void> {
    const kept = open.get(person)
    if (!kept || keyOfGuest(person) !== undefined) return
    const before = kept.changes
    const stored = await store.ignoredBy(person)
    if (kept.changes !== before) return await readOne(person)
    kept.ignored.replaceBy(stored)
  }

  return {
    isAnybodyIgnored: () => [...open.values()].some(({ ignored }) => ignored.all().size > 0),
    async readAgain(people) {
      for (const person of people) await readOne(person)
    },
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
        hears: (entry) =>
          kept.ignored.all().size === 0 ||
          !isPersonal(entry, person) ||
          entry.by === person.id ||
          !kept.ignored.isAuthor(entry),
        hearsFrom: (sender) => !kept.ignored.isSender(sender),
        close: () => release(person, kept),
      }
    },
    list: listOf,
    async isIgnored(person, other) {
      const sender = { id: other.id, ...(other.login && { key: other.login.key }) }
      const kept = open.get(person.id) ?? keep(person)
      await kept.ready
      return kept.ignored.isSender(sender)
    },
    async add(person, other) {
      if (other.id === person.id) throw new Refusal('you cannot ignore yourself')
      if (person.guest && !open.has(person.id))
        throw new Refusal('a guest can ignore somebody only in a session')
      if ((await listOf(person)).length >= MAX_IGNORED)
        throw new Refusal(`you ignore ${MAX_IGNORED} people already, which is the limit`)
      if (!person.guest) await store.add(person.id, other, other.login?.key)
      const added = await facts(person, other)
      change(person, (ignored) => ignored.put(added))
    },
    async remove(person, other) {
      if (!person.guest) await store.remove(person.id, other)
      change(person, (ignored) => ignored.remove(other))
    },
    cameIn(person, key) {
      for (const { ignored } of open.values()) ignored.cameIn(person, key)
    },
  }
}

/** What a room or its tools were changed by is no talk: all are told of that. What somebody gives a tool may be talk. */
function isPersonal(entry: Entry, { name }: Pick<Person, 'name'>): boolean {
  switch (entry.kind) {
    case 'message':
    case 'action':
      return true
    case 'notice':
      return entry.retracts !== undefined
    case 'tool_call':
    case 'tool_result':
      return entry.turn === undefined
    case 'approval':
      // The question shows what they give the tool; who may answer it must know that.
      return entry.verdict === 'asked' && entry.turn === undefined && !entry.answerers?.includes(name)
    case 'presence':
    case 'reply':
    case 'scope':
      return false
  }
}
