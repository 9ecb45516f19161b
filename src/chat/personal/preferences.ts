import type { Log } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { createKeyedSerial } from '../../base/jobs/serial.ts'
import { Refusal } from '../../words/errors.ts'
import type { RoomName } from '../../words/entry.ts'
import type { Person, PersonId } from '../../words/person.ts'
import { createModelStyles } from './name-styles.ts'
import {
  isOption,
  type NameColour,
  type Option,
  type PersonalOptions,
  type PersonalSettings,
  type Ring,
  storedRing,
  toSettings,
  valueOf,
} from './options.ts'
import type { PreferenceStore, StoredPreference } from './ports.ts'

type Listener = (changed: Option) => void

export interface OpenPreferences {
  now(): PersonalSettings
  /** Sessions before this one that were counted: 0 to 2, and 0 for a guest. */
  readonly earlierLogins: number
  onChange(listener: Listener): void
  close(): void
}

interface OpenPerson {
  ready: Promise<void>
  options: PersonalSettings
  earlierLogins: number
  readonly listeners: Set<Listener>
  holders: number
}

/** Methods that use the store reject with `StorageError`. */
export class Preferences {
  readonly #store: PreferenceStore
  readonly #log: Pick<Log, 'warn'>
  readonly #colours = new Map<string, NameColour>()
  readonly #open = new Map<PersonId, OpenPerson>()
  /** Serializes reads and writes, so that no older read replaces a newer write. */
  readonly #serially = createKeyedSerial<PersonId>()

  private constructor(store: PreferenceStore, log: Pick<Log, 'warn'>) {
    this.#store = store
    this.#log = log
  }

  static async load(store: PreferenceStore, log: Pick<Log, 'warn'>): Promise<Preferences> {
    const preferences = new Preferences(store, log)
    for (const { name, value } of await store.everyone('color')) preferences.#setColour(name, value)
    return preferences
  }

  /** Call it when a session begins. Logs what cannot be read, and uses the defaults. */
  async open(person: Person): Promise<OpenPreferences> {
    const mine = this.#open.get(person.id) ?? this.#begin(person)
    this.#open.set(person.id, mine)
    mine.holders++
    await mine.ready
    const own = new Set<Listener>()
    return {
      now: () => mine.options,
      earlierLogins: mine.earlierLogins,
      onChange(listener) {
        own.add(listener)
        mine.listeners.add(listener)
      },
      close: () => {
        for (const listener of own) mine.listeners.delete(listener)
        if (--mine.holders === 0) this.#open.delete(person.id)
      },
    }
  }

  /** Resolves to a person's options, with or without a session. */
  async of(person: Person): Promise<PersonalSettings> {
    const mine = this.#open.get(person.id)
    if (!mine) return await this.#read(person)
    await mine.ready
    return mine.options
  }

  /** The returned function gives the current options while the person has a session. */
  async settingsOf(person: Person): Promise<() => PersonalSettings> {
    const read = await this.of(person)
    return () => this.#open.get(person.id)?.options ?? read
  }

  /** A guest's value lasts until their last session ends; without a session, rejects with `Refusal`. */
  async set<Name extends Option>(
    person: Person,
    option: Name,
    value: NonNullable<PersonalOptions[Name]>,
  ): Promise<void> {
    const mine = await this.#put(person, { option, value })
    if (option === 'color') this.#setColour(person.name, value)
    if (!mine) return
    mine.options = { ...mine.options, [option]: value }
    for (const listener of mine.listeners) listener(option)
  }

  async setRing(person: Person, room: RoomName, ring: Ring): Promise<void> {
    const mine = await this.#put(person, storedRing(room, ring))
    if (mine) mine.options = { ...mine.options, rings: new Map(mine.options.rings).set(room, ring) }
  }

  /** Call it once the store has renamed a room: people who have a session keep what rings there. */
  roomRenamed(from: RoomName, to: RoomName): void {
    for (const mine of this.#open.values()) {
      const ring = mine.options.rings?.get(from)
      if (ring === undefined) continue
      const rings = new Map(mine.options.rings).set(to, ring)
      rings.delete(from)
      mine.options = { ...mine.options, rings }
    }
  }

  /** Reads options again that another server may have changed. */
  readAgain(person: Pick<Person, 'id' | 'name'>): Promise<void> {
    return this.#serially(person.id, () => this.#readAgain(person))
  }

  /** Shared, so that all sessions draw a model alike. */
  readonly modelStyle = createModelStyles()

  colourOf(name: string): NameColour | undefined {
    return this.#colours.get(name)
  }

  async #put({ id, guest }: Person, preference: StoredPreference): Promise<OpenPerson | undefined> {
    const mine = this.#open.get(id)
    if (!guest) await this.#serially(id, () => this.#store.put(id, preference))
    else if (!mine) throw new Refusal('options of a guest last as long as a session, and none is open')
    return mine
  }

  async #readAgain({ id, name }: Pick<Person, 'id' | 'name'>): Promise<void> {
    const options = toSettings(await this.#store.of(id))
    this.#setColour(name, options.color)
    const mine = this.#open.get(id)
    if (!mine) return
    await mine.ready
    const before = mine.options
    mine.options = options
    const names = new Set([...Object.keys(before), ...Object.keys(options)].filter(isOption))
    for (const option of names)
      if (before[option] !== options[option]) for (const listener of mine.listeners) listener(option)
  }

  #setColour(name: string, value: string | undefined): void {
    const colour = valueOf('color', value ?? 'auto')
    if (colour === undefined || colour === 'auto') this.#colours.delete(name)
    else this.#colours.set(name, colour)
  }

  async #read({ id, guest }: Person): Promise<PersonalSettings> {
    return guest ? {} : toSettings(await this.#store.of(id))
  }

  #begin(person: Person): OpenPerson {
    const begun: OpenPerson = {
      ready: Promise.resolve(),
      options: {},
      earlierLogins: 0,
      listeners: new Set<Listener>(),
      holders: 0,
    }
    begun.ready = this.#fill(begun, person)
    return begun
  }

  async #fill(begun: OpenPerson, person: Person): Promise<void> {
    try {
      const stored = person.guest ? [] : await this.#store.of(person.id)
      const options = toSettings(stored)
      begun.earlierLogins = Number(stored.find(({ option }) => option === LOGINS)?.value ?? 0)
      if (!person.guest) this.#countLogin(person, begun.earlierLogins)
      // Options that were set during the read win.
      begun.options = { ...options, ...begun.options }
      // The person's name may have changed since the colours were read.
      if (options.color !== undefined) this.#setColour(person.name, options.color)
    } catch (error) {
      begun.earlierLogins = COUNTED_LOGINS
      this.#warn(person, error, 'could not read the options of a person')
    }
  }

  /** Stores the count without making the session wait. */
  #countLogin(person: Person, earlier: number): void {
    if (earlier >= COUNTED_LOGINS) return
    const counted = { option: LOGINS, value: `${earlier + 1}` }
    this.#serially(person.id, () => this.#store.put(person.id, counted)).catch((error: unknown) =>
      this.#warn(person, error, 'could not count a login of a person'),
    )
  }

  #warn({ name }: Person, error: unknown, what: string): void {
    this.#log.warn({ person: name, reason: errorMessage(error) }, what)
  }
}

/** Stored beside the options, but nobody can set it. */
const LOGINS = 'logins'
const COUNTED_LOGINS = 2
