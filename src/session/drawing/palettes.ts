import type { NameColour, ThemeName } from '../../chat/preferences/options.ts'

/**
 * The SGR codes of each theme's roles (ECMA-48 8.3.117). Colours are of the fixed part of xterm's 256, from 16 on: the
 * first 16 are whatever a terminal's owner made of them, so nobody can say how they contrast or whether two of them differ.
 * test/unit/session/drawing/contrast.test.ts measures all of them.
 */
interface Palette {
  /** By what `/set color` calls them. Each is told from every other, from `model` and from `error` at a glance. */
  readonly people: Readonly<Record<NameColour, string>>
  readonly own: string
  readonly model: string
  readonly tool: string
  readonly system: string
  readonly dim: string
  readonly waiting: string
  readonly mention: string
  readonly error: string
  readonly code: string
  readonly heading: string
  readonly link: string
  readonly status: string
}

const ink = (colour: number): string => `38;5;${colour}`
const bold = (codes: string): string => `1;${codes}`
const underlined = (codes: string): string => `4;${codes}`
/** A block of its own ground: it is seen, and its text read, on whatever ground the terminal has. */
const block = (colour: number, ground: number): string => `38;5;${colour};48;5;${ground}`

const BLACK = 16
const WHITE = 231
const GOLD = 220

/** No theme has anything brighter than what waits for somebody. */
const WAITING = bold(block(BLACK, GOLD))
/** One's own lines have no colour, so that no other name can have theirs. */
const OWN = '1;4'

const names = (colours: Readonly<Record<NameColour, number>>): Palette['people'] => ({
  yellow: bold(ink(colours.yellow)),
  brown: bold(ink(colours.brown)),
  green: bold(ink(colours.green)),
  blue: bold(ink(colours.blue)),
  violet: bold(ink(colours.violet)),
  pink: bold(ink(colours.pink)),
})

/** For a ground that nobody told us: all of it is as far from black as from white, so no contrast is high. */
const either: Palette = {
  people: names({ yellow: 100, brown: 137, green: 28, blue: 32, violet: 129, pink: 132 }),
  own: OWN,
  model: bold(ink(30)),
  tool: ink(244),
  system: ink(244),
  dim: ink(244),
  waiting: WAITING,
  mention: bold(block(WHITE, 97)),
  error: ink(196),
  code: ink(136),
  heading: '1',
  link: underlined(ink(32)),
  status: block(WHITE, 240),
}

const dark: Palette = {
  people: names({ yellow: 228, brown: 172, green: 34, blue: 39, violet: 141, pink: 218 }),
  own: OWN,
  model: bold(ink(51)),
  tool: ink(246),
  system: ink(246),
  dim: ink(246),
  waiting: WAITING,
  mention: bold(block(BLACK, 176)),
  error: ink(203),
  code: ink(180),
  heading: '1',
  link: underlined(ink(75)),
  status: block(252, 237),
}

const light: Palette = {
  people: names({ yellow: 94, brown: 52, green: 22, blue: 20, violet: 129, pink: 162 }),
  own: OWN,
  model: bold(ink(25)),
  tool: ink(241),
  system: ink(241),
  dim: ink(241),
  waiting: WAITING,
  mention: bold(block(WHITE, 90)),
  error: ink(160),
  code: ink(94),
  heading: '1',
  link: underlined(ink(25)),
  status: block(236, 253),
}

/** Only what every terminal has: bold, underlined, reversed. */
const mono: Palette = {
  people: { yellow: '1', brown: '1', green: '1', blue: '1', violet: '1', pink: '1' },
  own: OWN,
  model: '4',
  tool: '',
  system: '',
  dim: '',
  waiting: '1;7',
  mention: '7',
  error: '1',
  code: '',
  heading: '1',
  link: '4',
  status: '7',
}

export const PALETTES: Readonly<Record<ThemeName, Palette>> = { auto: either, dark, light, mono }
