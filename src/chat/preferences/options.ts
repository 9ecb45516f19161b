/** What one option of `/set` is. */
interface OptionSpec {
  /** What it decides, for the list of options: no sentence, no full stop. */
  readonly about: string
  readonly values: readonly string[]
  /** What holds for whoever has set nothing. */
  readonly usual: string
}

/** The colours that a name can have. */
export const NAME_COLOURS = ['yellow', 'brown', 'green', 'blue', 'violet', 'pink'] as const
export type NameColour = (typeof NAME_COLOURS)[number]

/** `auto`: for a ground that is not known, in colours where the terminal has them. */
export const THEME_NAMES = ['auto', 'dark', 'light', 'mono'] as const
export type ThemeName = (typeof THEME_NAMES)[number]

/** Every option, in the order of the list. A new one is a row here; whoever needs its value asks for it by name. */
export const OPTIONS = {
  bell: {
    about: 'when the terminal rings: for nothing, for what asks or names you, or for all that is said',
    values: ['off', 'mention', 'all'],
    usual: 'mention',
  },
  timestamps: {
    about: 'the time before each line: none, hours and minutes, or with date and seconds',
    values: ['off', 'minutes', 'full'],
    usual: 'minutes',
  },
  theme: { about: 'colours for the ground of your terminal', values: THEME_NAMES, usual: 'auto' },
  plain: {
    about: 'each thing once and in words, with nothing drawn again: for screen readers',
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
} as const satisfies Readonly<Record<string, OptionSpec>>

export type Option = keyof typeof OPTIONS

/** What somebody has set; an option that is absent is as usual. */
export type PersonalOptions = { readonly [Name in Option]?: (typeof OPTIONS)[Name]['values'][number] }

export const isOption = (name: string): name is Option => Object.hasOwn(OPTIONS, name)

/** The value, or undefined for one that the option does not have. */
export const valueOf = <Name extends Option>(option: Name, value: string): PersonalOptions[Name] =>
  OPTIONS[option].values.find((one) => one === value) as PersonalOptions[Name]
