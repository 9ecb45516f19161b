import { zoneName, zoneNames } from '../../base/zone.ts'
import { readAlertWords } from '../../words/alert-words.ts'
import type { RoomName } from '../../words/entry.ts'
import type { StoredPreference } from './ports.ts'

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

export const NAME_COLOURS = ['yellow', 'brown', 'green', 'blue', 'violet', 'pink'] as const
export type NameColour = (typeof NAME_COLOURS)[number]

/** `auto`: for an unknown background, in colours if the terminal has them. */
export const THEME_NAMES = ['auto', 'dark', 'light', 'mono'] as const
export type ThemeName = (typeof THEME_NAMES)[number]

const NOTIFY_OFF: readonly string[] = ['off']
const NO_WORDS: readonly string[] = ['off']
const MAX_ADDRESS = 500

function notifyAddress(word: string): string | undefined {
  if (word === 'off') return word
  if (word.length > MAX_ADDRESS || !/^https?:\/\//.test(word) || !URL.canParse(word)) return undefined
  const { username, password } = new URL(word)
  return username === '' && password === '' ? word : undefined
}

/** In the order in which the options are listed. */
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
    about: 'the time zone for the times that you see; a TZ that ssh sends overrides it',
    values: zoneNames(),
    usual: 'UTC',
    read: zoneName,
    other: 'a name such as Europe/Berlin',
  },
  theme: { about: 'colours for a dark or a light background', values: THEME_NAMES, usual: 'auto' },
  plain: {
    about: 'for screen readers: text only, no redrawing; until you set it, SSHAWL_PLAIN decides',
    values: ['off', 'on'],
    usual: 'off',
  },
  color: {
    about: 'the colour of your name, for everybody; auto derives it from the name',
    values: ['auto', ...NAME_COLOURS],
    usual: 'auto',
  },
  history: {
    about:
      'whether your lines, and a draft that was cut off, are stored for your next login, for you alone; off deletes both',
    values: ['on', 'off'],
    usual: 'on',
  },
  notify: {
    about:
      'the address that gets a notice if you are mentioned, or get a message, while you are away or logged out',
    values: NOTIFY_OFF,
    usual: 'off',
    read: notifyAddress,
    other: 'an address of ntfy such as https://ntfy.sh/TOPIC',
  },
  words: {
    about: 'words in lines of others that ring for you like your name: whole words, upper or lower case',
    values: NO_WORDS,
    usual: 'off',
    read: (words) => (words === 'off' ? words : readAlertWords(words)),
    other: 'words such as postgres, invoice',
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

/** Which lines ring for a person in one room: all, lines that name them, or none. */
export const RINGS = ['all', 'mentions', 'off'] as const
export type Ring = (typeof RINGS)[number]

export interface PersonalSettings extends PersonalOptions {
  /** Absent rooms ring as the option `bell` says. */
  readonly rings?: ReadonlyMap<RoomName, Ring>
}

/** The prefix of stored preferences of one room. No option's name has a colon. */
const RING = 'ring:'

export const storedRing = (room: RoomName, ring: Ring): StoredPreference => ({
  option: ringOption(room),
  value: ring,
})

export const ringOption = (room: RoomName): string => RING + room

export function toSettings(stored: readonly StoredPreference[]): PersonalSettings {
  const known = stored.filter(({ option, value }) => isOption(option) && valueOf(option, value) !== undefined)
  const rings = new Map<RoomName, Ring>()
  for (const { option, value } of stored) {
    const ring = RINGS.find((one) => one === value)
    if (option.startsWith(RING) && ring) rings.set(option.slice(RING.length) as RoomName, ring)
  }
  return {
    ...Object.fromEntries(known.map(({ option, value }) => [option, value])),
    ...(rings.size > 0 && { rings }),
  }
}
