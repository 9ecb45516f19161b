import type { TextRole } from '../../lib/text/styled.ts'
import type { CodeRole, InlineLook, Stretch } from '../markdown/inline.ts'
import type { Theme } from './theme.ts'

/** What a theme has no part for is written as text is. */
const ROLES: Readonly<Record<CodeRole, TextRole>> = {
  comment: 'dim',
  keyword: 'heading',
  literal: 'code',
  string: 'code',
}

function paintStretch({ text, look }: Stretch, theme: Theme): string {
  if (text === '') return ''
  const role = roleOf(look)
  const codes = codesOf(look)
  const painted = role ? theme[role](text) : text
  if (codes === '') return painted
  return `\u001b[${codes}m${painted}${painted === text ? '\u001b[0m' : ''}`
}

function roleOf({ address, code, role }: InlineLook): TextRole | undefined {
  if (address !== undefined) return 'link'
  return code ? 'code' : role && ROLES[role]
}

/** The codes of SGR for what is no role (ECMA-48 8.3.117). */
const codesOf = ({ strong, emphasis, strike, underline }: InlineLook): string =>
  [
    ...(strong ? ['1'] : []),
    ...(emphasis ? ['3'] : []),
    ...(underline ? ['4'] : []),
    ...(strike ? ['9'] : []),
  ].join(';')

const hasColour = ({ id }: Theme): boolean => id !== 'mono'

/** Stretches as they are written, those that are links with their addresses (OSC 8). */
export function paintStretches(stretches: readonly Stretch[], theme: Theme): string {
  let painted = ''
  let linked: string | undefined
  for (const stretch of stretches) {
    const address = hasColour(theme) ? stretch.look.address : undefined
    if (address !== linked) painted += linkTo(address)
    linked = address
    painted += paintStretch(stretch, theme)
  }
  return linked === undefined ? painted : painted + linkTo(undefined)
}

/** Begins a link, or ends one (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). */
const linkTo = (address = ''): string => `\u001b]8;;${address}\u001b\\`

/** Where there is no colour to tell code by, it keeps its marks. */
export const withMarks = (stretches: readonly Stretch[], theme: Theme): readonly Stretch[] =>
  hasColour(theme)
    ? stretches
    : stretches.map((one) => (one.look.code ? { ...one, text: `\`${one.text}\`` } : one))

/** The same in bold. */
export const inBold = (stretches: readonly Stretch[]): readonly Stretch[] =>
  stretches.map(({ text, look }) => ({ text, look: { ...look, strong: true } }))
