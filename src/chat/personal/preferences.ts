import type { Log } from '../../base/environment.ts'
import { zoneName, zoneNames } from '../../base/zone.ts'
import { errorMessage } from '../../base/errors.ts'
import { createKeyedSerial } from '../../base/jobs/serial.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person, PersonId } from '../../words/person.ts'
import { createModelStyles, NAME_COLOURS, type NameColour } from './name-styles.ts'
import type { PreferenceStore, StoredPreference } from './ports.ts'

interface OptionSpec {
  /** What the option decides, for the list of options: no sentence, no full stop. */
  readonly about: string
  readonly values: readonly string[]
  readonly usual: string
  /** If the values are too many to list: returns the value to store, or undefined if it is invalid. */
  readonly read?: (word: string) => string | undefined
  /** An example of such a value, for the list of options. */
  readonly other?: string
}

/** `auto`: for an unknown background, in colours if the terminal has them. */
export const THEME_NAMES = ['auto', 'dark', 'light', 'mono'] as const
export type ThemeName = (typeof THEME_NAMES)[number]

const NOTIFY_OFF: readonly string[] = ['off']
const MAX_ADDRESS = 500

function notifyAddress(word: string): string | undefined {
  if (word === 'off') return word
  if (word.length > MAX_ADDRESS || !/^https?:\/\//.test(word) || !URL.canParse(word)) return undefined
  const { username, password } = new URL(word)
  return username === '' && password === '' ? word : undefined
}

/** Every option, in the order of the list. A new one is a row here. */
export const OPTIONS = {
  bell: {
    about: 'when the terminal rings: never, when you are named or asked, or at each line',
    values: ['off', 'mention', 'all'],
    usual: 'mention',
  },
  timestamps: {
    about: 'the time before each line: none, hours and minutes, or with date and seconds',
    values: ['off', 'minutes', 'full'],
    usual: 'minutes',
  },
  timezone: {
    about: 'the zone of the times that you see; a TZ that ssh sends comes before it',
    values: zoneNames(),
    usual: 'UTC',
    read: zoneName,
    other: 'a name such as Europe/Berlin',
  },
  theme: { about: 'colours for a dark or a light background', values: THEME_NAMES, usual: 'auto' },
  plain: {
    about: 'for screen readers: text only, no redrawing; SSHAWL_PLAIN holds until you set it',
    values: ['off', 'on'],
    usual: 'off',
  },
  color: {
    about: 'the colour of your name, for everybody; auto takes it from the name',
    values: ['auto', ...NAME_COLOURS],
    usual: 'auto',
  },
  history: {
    about:
      'what you typed, kept for you alone: your lines for the next login, a draft that was cut off; off forgets both',
    values: ['on', 'off'],
    usual: 'on',
  },
  notify: {
    about: 'the address that is told if you are named or written to while you are away or not here',
    values: NOTIFY_OFF,
    usual: 'off',
    read: notifyAddress,
    other: 'an address of ntfy such as https://ntfy.sh/TOPIC',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>

export type Option = keyof typeof OPTIONS

export type PersonalOptions = { readonly [Name in Option]?: (typeof OPTIONS)[Name]['values'][number] }

export const isOption = (name: string): name is Option => Object.hasOwn(OPTIONS, name)

/** Undefined for a value that the option does not have. */
export function valueOf<Name extends Option>(option: Name, value: string): PersonalOptions[Name] {
  const { values, read }: OptionSpec = OPTIONS[option]
  return (read ? read(value) : values.find((one) => one === value)) as PersonalOptions[Name]
}

type Listener = (changed: Option) => void

export interface OpenPreferences {
  now(): PersonalOptions
  /** Sessions before this one that were counted: 0 to 2, and 0 for a guest. */
  readonly earlierLogins: number
  /** `listener` is called after each change, until `close`. */
  onChange(listener: Listener): void
  close(): void
}

interface OpenPerson {
  ready: Promise<void>
  options: PersonalOptions
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
  /** Serializes reads and writes, so that no read is older than a write meanwhile. */
  readonly #serially = createKeyedSerial<PersonId>()

  private constructor(store: PreferenceStore, log: Pick<Log, 'warn'>) {
    this.#store = store
    this.#log = log
  }

  /** Reads the colours of people's names. */
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
  async of(person: Person): Promise<PersonalOptions> {
    const mine = this.#open.get(person.id)
    if (!mine) return await this.#read(person)
    await mine.ready
    return mine.options
  }

  /**
   * Applies at once in all sessions of the person, and is stored; for a guest until their last session ends.
   * Rejects with `Refusal` for a guest without a session.
   */
  async set<Name extends Option>(
    person: Person,
    option: Name,
    value: NonNullable<PersonalOptions[Name]>,
  ): Promise<void> {
    const { id, guest, name } = person
    const mine = this.#open.get(id)
    if (!guest) await this.#serially(id, () => this.#store.put(id, { option, value }))
    else if (!mine) throw new Refusal('a guest has nothing to keep it for: a session must be open')
    if (option === 'color') this.#setColour(name, value)
    if (!mine) return
    mine.options = { ...mine.options, [option]: value }
    for (const listener of mine.listeners) listener(option)
  }

  /** Reads options again that another server may have changed. */
  readAgain(person: Pick<Person, 'id' | 'name'>): Promise<void> {
    return this.#serially(person.id, () => this.#readAgain(person))
  }

  /** All sessions draw a model alike. */
  readonly modelStyle = createModelStyles()

  colourOf(name: string): NameColour | undefined {
    return this.#colours.get(name)
  }

  async #readAgain({ id, name }: Pick<Person, 'id' | 'name'>): Promise<void> {
    const options = toOptions(await this.#store.of(id))
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

  async #read({ id, guest }: Person): Promise<PersonalOptions> {
    return guest ? {} : toOptions(await this.#store.of(id))
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
      const options = toOptions(stored)
      begun.earlierLogins = Number(stored.find(({ option }) => option === LOGINS)?.value ?? 0)
      if (!person.guest) this.#countLogin(person, begun.earlierLogins)
      // Options that were set during the read win.
      begun.options = { ...options, ...begun.options }
      // The person's name may have changed since the colours were read.
      if (options.color !== undefined) this.#setColour(person.name, options.color)
    } catch (error) {
      begun.earlierLogins = COUNTED_LOGINS
      this.#warn(person, error, 'what somebody has set was not read')
    }
  }

  /** Stores the count without making the session wait. */
  #countLogin(person: Person, earlier: number): void {
    if (earlier >= COUNTED_LOGINS) return
    const counted = { option: LOGINS, value: `${earlier + 1}` }
    this.#serially(person.id, () => this.#store.put(person.id, counted)).catch((error: unknown) =>
      this.#warn(person, error, 'that somebody has come in was not stored'),
    )
  }

  #warn({ name }: Person, error: unknown, what: string): void {
    this.#log.warn({ person: name, reason: errorMessage(error) }, what)
  }
}

/** Kept beside the options; nobody can set it. */
const LOGINS = 'logins'
const COUNTED_LOGINS = 2

function toOptions(stored: readonly StoredPreference[]): PersonalOptions {
  const known = stored.filter(({ option, value }) => isOption(option) && valueOf(option, value) !== undefined)
  return Object.fromEntries(known.map(({ option, value }) => [option, value]))
}
