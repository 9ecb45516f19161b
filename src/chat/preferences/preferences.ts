import { Refusal } from '../errors.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Log } from '../ports.ts'
import { createKeyedSerial } from '../../lib/jobs/keyed-serial.ts'
import { errorMessage } from '../../lib/errors.ts'
import { isOption, valueOf, type NameColour, type Option, type PersonalOptions } from './options.ts'
import type { PreferenceStore, StoredPreference } from './ports.ts'

/** What all people have set. */
export interface Preferences {
  /** For a session that begins. What cannot be read is as usual, and the log says so. */
  open(person: Person): Promise<OpenPreferences>
  /** What is set, whether or not the person has a session. Rejects with `StorageError`. */
  of(person: Person): Promise<PersonalOptions>
  /**
   * Holds at once in all sessions of the person, and is kept; for a guest it holds until their last session ends. Rejects
   * with `StorageError`, and with `Refusal` for a guest without a session; then nothing was changed.
   */
  set<Name extends Option>(
    person: Person,
    option: Name,
    value: NonNullable<PersonalOptions[Name]>,
  ): Promise<void>
  /** Another server may have changed what somebody has set, who has this name. Rejects with `StorageError`. */
  readAgain(person: Pick<Person, 'id' | 'name'>): Promise<void>
  /** The colour that whoever has this name chose for it. */
  colourOf(name: string): NameColour | undefined
}

/** What one person has set, for as long as they have a session. */
export interface OpenPreferences {
  now(): PersonalOptions
  /** `listener` is called after each change; nothing more comes after `close`. */
  onChange(listener: (changed: Option) => void): void
  /** To be called once. */
  close(): void
}

interface OpenPerson {
  readonly ready: Promise<void>
  options: PersonalOptions
  readonly listeners: Set<(changed: Option) => void>
  holders: number
}

/** Reads the colours that people chose for their names. Rejects with `StorageError`. */
export async function loadPreferences(store: PreferenceStore, log: Log): Promise<Preferences> {
  const colours = new Map<string, NameColour>()
  const open = new Map<PersonId, OpenPerson>()
  /** What is read must not be older than what was written meanwhile. */
  const serially = createKeyedSerial<PersonId>()
  for (const { name, value } of await store.everyone('color')) setColour(name, value)

  function setColour(name: string, value: string | undefined): void {
    const colour = valueOf('color', value ?? 'auto')
    if (colour === undefined || colour === 'auto') colours.delete(name)
    else colours.set(name, colour)
  }

  async function readAgain({ id, name }: Pick<Person, 'id' | 'name'>): Promise<void> {
    const options = optionsIn(await store.of(id))
    setColour(name, options.color)
    const mine = open.get(id)
    if (!mine) return
    await mine.ready
    const before = mine.options
    mine.options = options
    const names = new Set([...Object.keys(before), ...Object.keys(options)].filter(isOption))
    for (const option of names)
      if (before[option] !== options[option]) for (const listener of mine.listeners) listener(option)
  }

  const read = async ({ id, guest }: Person): Promise<PersonalOptions> =>
    guest ? {} : optionsIn(await store.of(id))

  function begin(person: Person): OpenPerson {
    const begun: OpenPerson = { ready: fill(), options: {}, listeners: new Set(), holders: 0 }
    async function fill(): Promise<void> {
      try {
        const options = await read(person)
        begun.options = { ...options, ...begun.options }
        // Their name may have changed since the colours were read.
        if (options.color !== undefined) setColour(person.name, options.color)
      } catch (error) {
        log.warn({ person: person.name, reason: errorMessage(error) }, 'what somebody has set was not read')
      }
    }
    return begun
  }

  return {
    async open(person) {
      const mine = open.get(person.id) ?? begin(person)
      open.set(person.id, mine)
      mine.holders++
      await mine.ready
      let own: ((changed: Option) => void)[] = []
      return {
        now: () => mine.options,
        onChange(listener) {
          own.push(listener)
          mine.listeners.add(listener)
        },
        close() {
          for (const listener of own) mine.listeners.delete(listener)
          own = []
          if (--mine.holders === 0) open.delete(person.id)
        },
      }
    },
    async of(person) {
      const mine = open.get(person.id)
      if (!mine) return await read(person)
      await mine.ready
      return mine.options
    },
    async set(person, option, value) {
      const mine = open.get(person.id)
      if (!person.guest) await serially(person.id, () => store.put(person.id, { option, value }))
      else if (!mine) throw new Refusal('a guest has nothing to keep it for: a session must be open')
      if (option === 'color') setColour(person.name, value)
      if (!mine) return
      mine.options = { ...mine.options, [option]: value }
      for (const listener of mine.listeners) listener(option)
    },
    readAgain: (person) => serially(person.id, () => readAgain(person)),
    colourOf: (name) => colours.get(name),
  }
}

/** What this version knows of what is stored. */
function optionsIn(stored: readonly StoredPreference[]): PersonalOptions {
  const known = stored.filter(({ option, value }) => isOption(option) && valueOf(option, value) !== undefined)
  return Object.fromEntries(known.map(({ option, value }) => [option, value]))
}
