/** How parts of the screen look. Each function takes clean text and puts SGR sequences around it (ECMA-48 8.3.117). */
export interface Theme {
  /** No other theme has it: what was drawn is kept under it. */
  readonly id: string
  /** A name, always in the same colour. */
  readonly name: (text: string, of: string) => string
  /** What matters less. */
  readonly dim: (text: string) => string
  readonly error: (text: string) => string
  readonly status: (text: string) => string
  /** One of several things that lie side by side, by its number. */
  readonly tint: (text: string, number: number) => string
}

/** How to draw: for the same style an entry is always the same bytes. */
export interface DrawingStyle {
  /** Cells in a row. */
  readonly columns: number
  readonly theme: Theme
}

/** Equal for styles that give the same bytes. */
export const styleKey = ({ columns, theme }: DrawingStyle): string => `${theme.id} ${columns}`

const sgr = (codes: string, text: string): string => `\u001b[${codes}m${text}\u001b[0m`

/** Readable on dark and on light backgrounds: no black, white, or dark blue. */
const NAME_COLOURS = ['31', '32', '33', '35', '36', '91', '92', '93', '94', '95', '96']

const nameColour = (number: number): string => NAME_COLOURS[number % NAME_COLOURS.length] ?? '39'

const colour: Theme = {
  id: 'colour',
  name: (text, of) => sgr(`1;${nameColour(hash(of))}`, text),
  dim: (text) => sgr('2', text),
  error: (text) => sgr('31', text),
  status: (text) => sgr('7', text),
  tint: (text, number) => sgr(nameColour(number), text),
}

const monochrome: Theme = {
  id: 'mono',
  name: (text) => sgr('1', text),
  dim: (text) => text,
  error: (text) => sgr('1', text),
  status: (text) => sgr('7', text),
  tint: (text) => text,
}

/** Monochrome for terminals without colour (`TERM` vt…, …-m) and for `SSHAWL_THEME=mono`. */
export function chooseTheme(term: string, env: Readonly<Record<string, string>>): Theme {
  const asked = env['SSHAWL_THEME']
  const hasColour = asked ? asked !== 'mono' : !/^(vt\d|.*-(m|mono)$)/.test(term)
  return hasColour ? colour : monochrome
}

/** Spreads names over the colours; the same in every session. */
function hash(text: string): number {
  let value = 0
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return value
}
