import type { TextRole } from '../../lib/text/styled.ts'
import { NAME_COLOURS, THEME_NAMES, type NameColour, type ThemeName } from '../../chat/preferences/options.ts'
import type { TimeColumn } from './times.ts'
import { usualColour } from './name-colours.ts'
import { PALETTES } from './palettes.ts'

type Paint = (text: string) => string

/** How parts of the screen look. Each function takes clean text of one row and puts SGR sequences around it. */
export interface Theme extends Readonly<Record<TextRole, Paint>> {
  /** No other theme has it: what was drawn is kept under it. */
  readonly id: ThemeName
  /** A person's name; `chosen` is its colour where it is not the usual one of that name. */
  readonly person: (text: string, name: string, chosen?: NameColour) => string
  /** One of several things that lie side by side, by its number. */
  readonly tint: (text: string, number: number) => string
}

/** How to draw: for the same style an entry is always the same bytes. */
export interface DrawingStyle {
  /** Cells in a row. */
  readonly columns: number
  readonly theme: Theme
  /** What stands before each line; absent for nothing. */
  readonly times?: TimeColumn | undefined
}

const styleKeys = new WeakMap<DrawingStyle, string>()

/** Equal for styles that give the same bytes. Made once for each object: it is asked for with every line on every screen. */
export function styleKey(style: DrawingStyle): string {
  const { columns, theme, times } = style
  const key = styleKeys.get(style) ?? `${theme.id} ${columns} ${times?.key ?? ''}`
  styleKeys.set(style, key)
  return key
}

export const THEMES = {
  auto: createTheme('auto'),
  dark: createTheme('dark'),
  light: createTheme('light'),
  mono: createTheme('mono'),
} satisfies Readonly<Record<ThemeName, Theme>>

function createTheme(id: ThemeName): Theme {
  const palette = PALETTES[id]
  const tints = NAME_COLOURS.map((colour) => painter(palette.people[colour].replace(/^1;?/, '')))
  const people = new Map(NAME_COLOURS.map((colour) => [colour, painter(palette.people[colour])]))
  return {
    id,
    person: (text, name, chosen = usualColour(name)) => people.get(chosen)?.(text) ?? text,
    tint: (text, number) => tints[number % tints.length]?.(text) ?? text,
    own: painter(palette.own),
    model: painter(palette.model),
    tool: painter(palette.tool),
    system: painter(palette.system),
    dim: painter(palette.dim),
    waiting: painter(palette.waiting),
    mention: painter(palette.mention),
    error: painter(palette.error),
    code: painter(palette.code),
    heading: painter(palette.heading),
    link: painter(palette.link),
    status: painter(palette.status),
  }
}

function painter(codes: string): Paint {
  const begin = `\u001b[${codes}m`
  return codes === '' ? (text) => text : (text) => (text === '' ? '' : `${begin}${text}\u001b[0m`)
}

/** Terminals that have 16 colours or fewer, or none: the 256 would come out as something else, such as blinking. */
const FEW_COLOURS =
  /^(vt\d|ansi|cons25|sun|cygwin|eterm$|rxvt$|xterm-color$|xterm-old$)|-(m|mono|8color|16color)$/

/** The theme that somebody kept for themselves, if nothing comes with the session. */
interface Kept {
  readonly theme?: ThemeName | undefined
}

/**
 * The first of these that says something: `SSHAWL_THEME`; `NO_COLOR` (https://no-color.org: any text but none); what the
 * person kept with `/set`; whether the terminal has the colours, by `COLORTERM` and then `TERM`.
 */
export function chooseTheme(term: string, env: Readonly<Record<string, string>>, kept: Kept = {}): Theme {
  const asked = THEME_NAMES.find((name) => name === env['SSHAWL_THEME'])
  if (asked) return THEMES[asked]
  if ((env['NO_COLOR'] ?? '') !== '') return THEMES.mono
  if (kept.theme !== undefined && kept.theme !== 'auto') return THEMES[kept.theme]
  const hasColours = (env['COLORTERM'] ?? '') !== '' || !FEW_COLOURS.test(term)
  return hasColours ? THEMES.auto : THEMES.mono
}
