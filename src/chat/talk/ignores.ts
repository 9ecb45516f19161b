import type { Entry } from '../entry.ts'
import { Refusal } from '../errors.ts'
import { keyOfGuest } from '../people/person.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'
import type { Ignored, IgnoredStore, Sender } from './ports.ts'

/** Whom one person ignores, as long as they have a session. Follows what they change. */
export interface IgnoreFilter {
  /** False for what an ignored person says, does, takes back or runs. What a room must know is shown. */
  shows(entry: Entry): boolean
  acceptsFrom(sender: Pick<Sender, 'id' | 'key'>): boolean
  close(): void
}

const MAX_IGNORED = 200

interface OpenList {
  readonly ready: Promise<void>
  readonly ignored: IgnoreList
  holders: number
  /** Counts changes by this server: what was read before one is too old. */
  changes: number
}

/**
 * Who ignores whom: people under all their names, and everybody with a key of theirs. What a guest ignores is
 * kept until their last session ends. Methods reject with `StorageError`.
 */
export class Ignores {
  readonly #store: IgnoredStore
  readonly #open = new Map<PersonId, OpenList>()

  constructor(store: IgnoredStore) {
    this.#store = store
  }

  isAnybodyIgnored(): boolean {
    return [...this.#open.values()].some(({ ignored }) => ignored.people.size > 0)
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
        ignored.people.size === 0 ||
        !isPersonal(entry, person) ||
        entry.by === person.id ||
        !ignored.isAuthor(entry),
      acceptsFrom: (sender) => !ignored.isSender(sender),
      close,
    }
  }

  async list({ id, guest }: Person): Promise<readonly Ignored[]> {
    if (!guest) return await this.#store.ignoredBy(id)
    const people = this.#open.get(id)?.ignored.people.values() ?? []
    return [...people].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  async isIgnored(person: Person, { id, login }: Person): Promise<boolean> {
    const { ready, ignored } = this.#open.get(person.id) ?? this.#read(person)
    await ready
    return ignored.isSender({ id, ...(login && { key: login.key }) })
  }

  /** Throws `Refusal` if that is one too many. */
  async add(person: Person, other: Person): Promise<void> {
    const { id, name, login } = other
    if (id === person.id) throw new Refusal('you cannot ignore yourself')
    if (person.guest && !this.#open.has(person.id))
      throw new Refusal('a guest can ignore somebody only in a session')
    if ((await this.list(person)).length >= MAX_IGNORED)
      throw new Refusal(`you ignore ${MAX_IGNORED} people already, which is the limit`)
    if (!person.guest) await this.#store.add(person.id, other, login?.key)
    // The store knows all their keys and names; of what a guest ignores only this is known.
    const stored = (await this.list(person)).find((one) => one.id === id)
    const keys = login ? [login.key] : []
    this.#change(person, (ignored) => ignored.put(stored ?? { id, name, nameThen: name, keys, sameKey: [] }))
  }

  async remove(person: Person, other: PersonId): Promise<void> {
    if (!person.guest) await this.#store.remove(person.id, other)
    this.#change(person, (ignored) => ignored.remove(other))
  }

  /** Somebody logged in with this key, perhaps under a new name. */
  onLogin(person: Pick<Person, 'id' | 'name'>, key: Fingerprint): void {
    for (const { ignored } of this.#open.values()) ignored.learn(person, key)
  }

  /** Another server may have changed whom these ignore. */
  async readAgain(people: readonly PersonId[]): Promise<void> {
    for (const person of people) await this.#readOne(person)
  }

  async #readOne(person: PersonId): Promise<void> {
    const list = this.#open.get(person)
    if (!list || keyOfGuest(person) !== undefined) return
    const before = list.changes
    const stored = await this.#store.ignoredBy(person)
    if (list.changes !== before) return await this.#readOne(person)
    list.ignored.replace(stored)
  }

  #read(person: Pick<Person, 'id' | 'guest'>): OpenList {
    const ignored = new IgnoreList()
    const read = async (): Promise<void> => {
      // Somebody may have been added meanwhile.
      for (const one of await (person.guest ? [] : this.#store.ignoredBy(person.id))) ignored.put(one)
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

class IgnoreList {
  readonly people = new Map<PersonId, Ignored>()
  #names = new Set<string>()
  #ids = new Set<PersonId>()
  #keys = new Set<Fingerprint>()

  put(one: Ignored): void {
    this.people.set(one.id, one)
    this.#index()
  }

  remove(id: PersonId): void {
    this.people.delete(id)
    this.#index()
  }

  replace(all: readonly Ignored[]): void {
    this.people.clear()
    for (const one of all) this.people.set(one.id, one)
    this.#index()
  }

  /** Remembers a new key of an ignored person, or a new name with a key of theirs. */
  learn({ id, name }: Pick<Person, 'id' | 'name'>, key: Fingerprint): void {
    if (!this.people.has(id) && !this.#keys.has(key)) return
    for (const one of this.people.values()) {
      const hasKey = one.keys.includes(key)
      if (one.id === id && !hasKey) this.put({ ...one, keys: [...one.keys, key] })
      else if (one.id !== id && hasKey && !one.sameKey.some((same) => same.id === id))
        this.put({ ...one, sameKey: [...one.sameKey, { id, name }] })
    }
  }

  isAuthor({ by, author }: Pick<Entry, 'by' | 'author'>): boolean {
    return by === undefined ? this.#names.has(author) : this.isSender({ id: by })
  }

  isSender({ id, key = keyOfGuest(id) }: Pick<Sender, 'id' | 'key'>): boolean {
    return this.#ids.has(id) || (key !== undefined && this.#keys.has(key))
  }

  #index(): void {
    const all = [...this.people.values()]
    this.#names = new Set(
      all.flatMap((one) => [one.name, one.nameThen, ...one.sameKey.map(({ name }) => name)]),
    )
    this.#ids = new Set(all.flatMap((one) => [one.id, ...one.sameKey.map(({ id }) => id)]))
    this.#keys = new Set(all.flatMap(({ keys }) => keys))
  }
}

/** Everybody is told of a change of a room or its tools. What somebody gives a tool may be talk. */
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
      // Who may answer the question must know what they give the tool.
      return entry.verdict === 'asked' && entry.turn === undefined && !entry.answerers?.includes(name)
    case 'presence':
    case 'reply':
    case 'scope':
      return false
  }
}
