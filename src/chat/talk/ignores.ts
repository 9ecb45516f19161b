import type { Entry } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { keyOfGuest } from '../../words/person.ts'
import type { Fingerprint, Person, PersonId } from '../../words/person.ts'
import type { IgnoredPerson, IgnoredStore, Sender } from './ports.ts'

/** The people that one person ignores, with later changes until `close`. */
export interface IgnoreFilter {
  /**
   * False for an ignored person's messages, actions, retractions and tool calls, and for questions about
   * these calls unless the viewer may answer them; true for other entries.
   */
  shows(entry: Entry): boolean
  acceptsFrom(sender: Pick<Sender, 'id' | 'key'>): boolean
  close(): void
}

const MAX_IGNORED = 200

interface OpenList {
  readonly ready: Promise<void>
  readonly ignored: IgnoreList
  holders: number
  /** The number of changes by this server. A read that began before a change is outdated. */
  changes: number
}

/**
 * Who ignores which people. Ignoring covers all names of a person, and everybody with one of their keys. A
 * guest's list is kept until their last session ends. Methods reject with `StorageError`.
 */
export class Ignores {
  readonly #store: IgnoredStore
  readonly #open = new Map<PersonId, OpenList>()

  constructor(store: IgnoredStore) {
    this.#store = store
  }

  isAnybodyIgnored(): boolean {
    return [...this.#open.values()].some(({ ignored }) => ignored.size > 0)
  }

  async open(person: Pick<Person, 'id' | 'name' | 'guest'>): Promise<IgnoreFilter> {
    const list = this.#open.get(person.id) ?? this.#read(person)
    this.#open.set(person.id, list)
    list.holders++
    const close = (): void => {
      if (--list.holders === 0) this.#forget(person.id, list)
    }
    try {
      await list.ready
    } catch (error) {
      close()
      this.#forget(person.id, list)
      throw error
    }
    const { ignored } = list
    return {
      shows: (entry) =>
        ignored.size === 0 ||
        !isPersonal(entry, person) ||
        entry.by === person.id ||
        !hasAuthor(ignored, entry),
      acceptsFrom: (sender) => !hasSender(ignored, sender),
      close,
    }
  }

  async list({ id, guest }: Person): Promise<readonly IgnoredPerson[]> {
    if (!guest) return await this.#store.ignoredBy(id)
    const people = this.#open.get(id)?.ignored.values() ?? []
    return [...people].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  async isIgnored(person: Person, { id, login }: Person): Promise<boolean> {
    const { ready, ignored } = this.#open.get(person.id) ?? this.#read(person)
    await ready
    return hasSender(ignored, { id, ...(login && { key: login.key }) })
  }

  async add(person: Person, other: Person): Promise<void> {
    const { id, name, login } = other
    if (id === person.id) throw new Refusal('you cannot ignore yourself')
    if (person.guest && !this.#open.has(person.id))
      throw new Refusal('a guest can ignore somebody only in a session')
    if ((await this.list(person)).length >= MAX_IGNORED)
      throw new Refusal(`you ignore ${MAX_IGNORED} people already, which is the limit`)
    if (!person.guest) await this.#store.add(person.id, other, login?.key)
    // The stored list has all keys and names of the other person. A guest's list is not stored, so it has
    // only the name and the key with which the other person is logged in.
    const stored = (await this.list(person)).find((one) => one.id === id)
    const keys = login ? [login.key] : []
    this.#change(person, (ignored) =>
      ignored.set(id, stored ?? { id, name, nameThen: name, keys, sameKey: [] }),
    )
  }

  async remove(person: Person, other: PersonId): Promise<void> {
    if (!person.guest) await this.#store.remove(person.id, other)
    this.#change(person, (ignored) => ignored.delete(other))
  }

  /** Call it when somebody logged in with this key, perhaps under a new name. */
  onLogin(person: Pick<Person, 'id' | 'name'>, key: Fingerprint): void {
    for (const { ignored } of this.#open.values()) learn(ignored, person, key)
  }

  async readAgain(people: readonly PersonId[]): Promise<void> {
    for (const person of people) await this.#readOne(person)
  }

  async #readOne(person: PersonId): Promise<void> {
    const list = this.#open.get(person)
    if (!list || keyOfGuest(person) !== undefined) return
    const before = list.changes
    const stored = await this.#store.ignoredBy(person)
    if (list.changes !== before) return await this.#readOne(person)
    list.ignored.clear()
    for (const one of stored) list.ignored.set(one.id, one)
  }

  #read(person: Pick<Person, 'id' | 'guest'>): OpenList {
    const ignored = new Map<PersonId, IgnoredPerson>()
    const read = async (): Promise<void> => {
      // Somebody may have been added meanwhile.
      for (const one of await (person.guest ? [] : this.#store.ignoredBy(person.id))) ignored.set(one.id, one)
    }
    return { ready: read(), ignored, holders: 0, changes: 0 }
  }

  #forget(person: PersonId, list: OpenList): void {
    if (this.#open.get(person) === list) this.#open.delete(person)
  }

  #change(person: Person, how: (ignored: IgnoreList) => void): void {
    const list = this.#open.get(person.id)
    if (!list) return
    how(list.ignored)
    list.changes++
  }
}

type IgnoreList = Map<PersonId, IgnoredPerson>

/** Adds a new key of an ignored person, or a new name of somebody with one of the person's keys. */
function learn(list: IgnoreList, { id, name }: Pick<Person, 'id' | 'name'>, key: Fingerprint): void {
  for (const one of list.values()) {
    const hasKey = one.keys.includes(key)
    if (one.id === id && !hasKey) list.set(one.id, { ...one, keys: [...one.keys, key] })
    else if (one.id !== id && hasKey && !one.sameKey.some((same) => same.id === id))
      list.set(one.id, { ...one, sameKey: [...one.sameKey, { id, name }] })
  }
}

/** An entry of an old log has only a name. */
function hasAuthor(list: IgnoreList, { by, author }: Pick<Entry, 'by' | 'author'>): boolean {
  if (by !== undefined) return hasSender(list, { id: by })
  return [...list.values()].some(({ name, nameThen, sameKey }) =>
    [name, nameThen, ...sameKey.map((same) => same.name)].includes(author),
  )
}

function hasSender(list: IgnoreList, { id, key = keyOfGuest(id) }: Pick<Sender, 'id' | 'key'>): boolean {
  return [...list.values()].some(
    (one) =>
      one.id === id ||
      one.sameKey.some((same) => same.id === id) ||
      (key !== undefined && one.keys.includes(key)),
  )
}

/** True for talk that may be hidden, also in a tool's arguments; false for changes of a room or its tools. */
function isPersonal(entry: Entry, { name }: Pick<Person, 'name'>): boolean {
  switch (entry.kind) {
    case 'message':
    case 'action':
      return true
    case 'notice':
      return entry.retracts !== undefined
    case 'tool_call':
    case 'tool_result':
    case 'file':
      return entry.turn === undefined
    case 'approval':
      // People who may answer the question must know the call's arguments.
      return entry.verdict === 'asked' && entry.turn === undefined && !entry.answerers?.includes(name)
    case 'presence':
    case 'reply':
    case 'scope':
    case 'routine':
      return false
  }
}
