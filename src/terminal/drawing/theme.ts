import {
  NAME_COLOURS,
  type NameColour,
  type NameStyles,
  personNameStyle,
  setBounded,
  THEME_NAMES,
  type ThemeName,
  usualColour,
} from '../../chat/personal/index.ts'
import type { Entry, RoomName } from '../../words/entry.ts'
import type { SpanStyle, TextRole } from '../../base/text/styled.ts'

/**
 * SGR codes by role (ECMA-48 8.3.117). Colours are 16 to 255 of xterm, which are fixed: the owner of a
 * terminal can change the first 16. contrast.test.ts measures all of them.
 */
interface Palette extends Readonly<Record<TextRole, string>> {
  readonly tints: readonly string[]
  readonly modelTints: readonly string[]
}

const ink = (colour: number): string => `38;5;${colour}`
const bold = (codes: string): string => `1;${codes}`
const italic = (codes: string): string => `3;${codes}`
const underlined = (codes: string): string => `4;${codes}`
/** Has its own background, so that it can be read on any terminal. */
const block = (colour: number, background: number): string => `38;5;${colour};48;5;${background}`

const BLACK = 16
const WHITE = 231
const GOLD = 220

interface Inks extends Readonly<Record<'dim' | 'error' | 'code' | 'link', number>> {
  readonly people: Readonly<Record<NameColour, number>>
  /** Tints of one colour, the usual one first. */
  readonly models: readonly [string, ...string[]]
  readonly mention: string
  readonly status: string
}

const colours = ({ people, models, dim, error, code, link, mention, status }: Inks): Palette => ({
  tints: NAME_COLOURS.map((name) => ink(people[name])),
  modelTints: models.map(bold),
  // The viewer's own lines have no colour, so that no other name can look the same.
  own: '1;4',
  model: bold(models[0]),
  tool: ink(dim),
  system: ink(dim),
  dim: ink(dim),
  // No theme has anything brighter.
  waiting: bold(block(BLACK, GOLD)),
  mention: bold(mention),
  error: ink(error),
  code: ink(code),
  heading: '1',
  link: `4;${ink(link)}`,
  status,
})

/** For an unknown background: as far from black as from white, so no contrast is high. */
const either = colours({
  people: { yellow: 100, brown: 137, green: 28, blue: 32, violet: 129, pink: 132 },
  // Only this teal and this lavender differ enough from all name colours on black and on white.
  models: [ink(30), italic(ink(104)), underlined(ink(30))],
  dim: 244,
  error: 196,
  code: 136,
  link: 32,
  mention: block(WHITE, 97),
  status: block(WHITE, 240),
})

const dark = colours({
  people: { yellow: 228, brown: 172, green: 34, blue: 39, violet: 141, pink: 218 },
  models: [ink(37), ink(142), ink(201)],
  dim: 246,
  error: 203,
  code: 180,
  link: 75,
  mention: block(BLACK, 176),
  status: block(252, 237),
})

const light = colours({
  people: { yellow: 94, brown: 52, green: 22, blue: 20, violet: 129, pink: 162 },
  models: [ink(24), ink(95), ink(27)],
  dim: 241,
  error: 160,
  code: 94,
  link: 25,
  mention: block(WHITE, 90),
  status: block(236, 253),
})

/** Only what every terminal has: bold, underlined, reversed. */
const mono: Palette = {
  tints: NAME_COLOURS.map(() => ''),
  modelTints: ['4', italic('4'), '4;2'],
  own: '1;4',
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

/** Returns undefined for entries of models and of the room. */
type ColourOfAuthor = (entry: Pick<Entry, 'room' | 'author' | 'kind'>) => NameColour | undefined

/** Names with a remembered colour in one room. The oldest is forgotten. */
const MAX_NAMES = 200
const MAX_ROOMS = 1_000

/** Gives each name in a room a colour of its own as long as one is free. The name then keeps that colour. */
export function createNameColours(chosen: (name: string) => NameColour | undefined): ColourOfAuthor {
  const rooms = new Map<RoomName, Map<string, NameColour>>()

  return ({ room, author, kind }) => {
    if (kind !== 'message' && kind !== 'action') return undefined
    const own = chosen(author)
    const names = rooms.get(room) ?? new Map<string, NameColour>()
    const known = own ?? names.get(author)
    if (known !== undefined && names.get(author) === known) return known
    const usual = usualColour(author)
    const taken = new Set(Array.from(names, ([name, colour]) => chosen(name) ?? colour))
    const free = taken.has(usual) ? NAME_COLOURS.find((colour) => !taken.has(colour)) : usual
    const colour = known ?? free ?? usual
    setBounded(names, author, colour, MAX_NAMES)
    setBounded(rooms, room, names, MAX_ROOMS)
    return colour
  }
}

/** Returns undefined for lines of the room. */
export type StyleOfAuthor = (entry: Parameters<ColourOfAuthor>[0]) => SpanStyle | undefined

export function createNameStyles(names: NameStyles): StyleOfAuthor {
  const colourOf = createNameColours((name) => names.colourOf(name))
  return (entry) => {
    if (entry.kind === 'reply') return names.modelStyle(entry.author)
    const colour = colourOf(entry)
    return colour && personNameStyle(entry.author, colour)
  }
}

type Paint = (text: string) => string

/** Each function puts SGR sequences around sanitized text of one row. */
export interface Theme extends Readonly<Record<TextRole, Paint>> {
  readonly id: ThemeName
  readonly codes: Readonly<Record<TextRole, string>>
  readonly tints: readonly string[]
  readonly modelTints: readonly string[]
}

export interface TimeColumn {
  /** Equal for columns that give the same texts. */
  readonly key: string
  /** Includes the blank after the time. */
  readonly cells: number
  textAt(at: number): string
}

export interface DrawingStyle {
  readonly columns: number
  readonly theme: Theme
  readonly times?: TimeColumn | undefined
  /** Cells of the first row that its time takes from `columns`. */
  readonly timeCells?: number | undefined
}

const styleKeys = new WeakMap<DrawingStyle, string>()

/** Equal keys mean equal bytes. Cached, since every line on every screen needs the key of its style. */
export function styleKey(style: DrawingStyle): string {
  const { columns, theme, times } = style
  const key = styleKeys.get(style) ?? `${theme.id} ${columns} ${times?.key ?? ''}`
  styleKeys.set(style, key)
  return key
}

/** Returns a function that draws each object once per key, as long as the object is referenced. */
export function createMemo<Drawn>(): (object: object, key: string, draw: () => Drawn) => Drawn {
  const drawn = new WeakMap<object, Map<string, { readonly drawn: Drawn }>>()
  return (object, key, draw) => {
    const known = drawn.get(object)?.get(key)
    if (known) return known.drawn
    const made = { drawn: draw() }
    drawn.set(object, (drawn.get(object) ?? new Map<string, typeof made>()).set(key, made))
    return made.drawn
  }
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  auto: createTheme('auto', either),
  dark: createTheme('dark', dark),
  light: createTheme('light', light),
  mono: createTheme('mono', mono),
}

function createTheme(id: ThemeName, { tints, modelTints, ...codes }: Palette): Theme {
  const paints = Object.entries(codes).map(([role, code]) => [role, painter(code)])
  return { id, codes, tints, modelTints, ...(Object.fromEntries(paints) as Record<TextRole, Paint>) }
}

function painter(codes: string): Paint {
  const begin = `\u001b[${codes}m`
  return codes === '' ? (text) => text : (text) => (text === '' ? '' : `${begin}${text}\u001b[0m`)
}

/** Terminals with at most 16 colours, which show the 256 colours as something else, such as blinking. */
const FEW_COLOURS =
  /^(vt\d|ansi|cons25|sun|cygwin|eterm$|rxvt$|xterm-color$|xterm-old$)|-(m|mono|8color|16color)$/

/**
 * Uses the first that decides: `SSHAWL_THEME`; `NO_COLOR` (https://no-color.org: any text but none); the
 * theme saved with `/set`; `COLORTERM`; `TERM`.
 */
export function chooseTheme(term: string, env: Readonly<Record<string, string>>, kept?: ThemeName): Theme {
  const asked = THEME_NAMES.find((name) => name === env['SSHAWL_THEME'])
  if (asked) return THEMES[asked]
  if ((env['NO_COLOR'] ?? '') !== '') return THEMES.mono
  if (kept !== undefined && kept !== 'auto') return THEMES[kept]
  const hasColours = (env['COLORTERM'] ?? '') !== '' || !FEW_COLOURS.test(term)
  return hasColours ? THEMES.auto : THEMES.mono
}
