import Color from 'colorjs.io'
import { describe, expect, test } from 'vitest'
import { NAME_COLOURS, THEME_NAMES } from '../../../../src/chat/personal/options.ts'
import { personStyle } from '../../../../src/terminal/drawing/entry-look.ts'
import { paintSpans } from '../../../../src/terminal/drawing/spans.ts'
import { createModelStyles, personNameStyle } from '../../../../src/chat/personal/name-styles.ts'
import { THEMES, type Theme } from '../../../../src/terminal/drawing/theme.ts'

/** Grounds of terminals. Solarized: https://ethanschoonover.com/solarized (base03 and base3). */
const GROUNDS = {
  black: '#000000',
  white: '#ffffff',
  'solarized dark': '#002b36',
  'solarized light': '#fdf6e3',
}
type Ground = keyof typeof GROUNDS

/** What is asked of a theme on the grounds that it is for: 4.5 is WCAG 2's AA for text, 3 its AA for bold and large text. */
const ASKED = {
  auto: { grounds: ['black', 'white', 'solarized dark', 'solarized light'], contrast: 3 },
  dark: { grounds: ['black', 'solarized dark'], contrast: 4.5 },
  light: { grounds: ['white', 'solarized light'], contrast: 4.5 },
} as const satisfies Record<string, { readonly grounds: readonly Ground[]; readonly contrast: number }>

/** Of text on a block of its own ground: a block can be chosen well for every terminal. */
const BLOCK_CONTRAST = 4.5

const ROLES = [
  ...['own', 'model', 'tool', 'system', 'dim', 'waiting', 'mention', 'error', 'code', 'heading', 'link'],
  'status',
] as const satisfies readonly (keyof Theme)[]

interface Look {
  readonly ink?: Color
  readonly ground?: Color
  readonly marks: readonly number[]
}

/** What a terminal makes of the SGR sequence at the beginning of a text. */
function lookOf(painted: string): Look {
  const codes = (/^\u001b\[([\d;]+)m/.exec(painted)?.[1] ?? '').split(';').filter(Boolean).map(Number)
  const look: { ink?: Color; ground?: Color; marks: number[] } = { marks: [] }
  while (codes.length > 0) {
    const code = codes.shift()
    if (code !== 38 && code !== 48) look.marks.push(Number(code))
    else {
      expect(codes.shift()).toBe(5)
      look[code === 38 ? 'ink' : 'ground'] = xtermColour(Number(codes.shift()))
    }
  }
  return look
}

const LEVELS = [0, 95, 135, 175, 215, 255]

/** The 6×6×6 cube and the ramp of greys, as xterm's 256colres.pl makes them. */
function xtermColour(number: number): Color {
  expect(number).toBeGreaterThanOrEqual(16)
  const inCube = number - 16
  const levels =
    number < 232
      ? [LEVELS[Math.floor(inCube / 36)], LEVELS[Math.floor(inCube / 6) % 6], LEVELS[inCube % 6]]
      : Array.from({ length: 3 }, () => 8 + 10 * (number - 232))
  const [red = 0, green = 0, blue = 0] = levels.map((level = 0) => level / 255)
  return new Color('srgb', [red, green, blue])
}

const contrast = (a: Color, b: Color): number => a.contrast(b, 'WCAG21')

const modelLooks = (theme: Theme): readonly Look[] =>
  theme.modelTints.map((_, tint) => lookOf(paintSpans([{ text: 'x', role: 'model', tint }], theme)))

const lookInTheme = (theme: Theme) => ({
  ...Object.fromEntries(ROLES.map((role) => [role, lookOf(theme[role]('x'))])),
  ...Object.fromEntries(
    NAME_COLOURS.map((name) => {
      const span = { text: 'x', ...personStyle('x', undefined, personNameStyle('x', name)) }
      return [name, lookOf(paintSpans([span], theme))]
    }),
  ),
  ...Object.fromEntries(modelLooks(theme).map((look, tint) => [`model ${tint}`, look])),
})

test('the contrast formula gives the ratios of WCAG 2.1', () => {
  expect(contrast(new Color('#000'), new Color('#fff'))).toBeCloseTo(21, 6)
  expect(contrast(new Color('#777777'), new Color('#ffffff'))).toBeCloseTo(4.478, 3)
})

describe.each(Object.entries(ASKED))('%s', (id, { grounds, contrast: asked }) => {
  const looks = Object.entries(lookInTheme(THEMES[id as keyof typeof ASKED]))

  test.each(looks)(
    'text in the style %s has enough contrast on every background of its theme',
    (_, { ink, ground }) => {
      // Without a colour of its own, text has the one that the terminal's owner reads everything in.
      if (!ink) return expect(ground).toBeUndefined()
      if (ground) return expect(contrast(ink, ground)).toBeGreaterThanOrEqual(BLOCK_CONTRAST)
      for (const name of grounds)
        expect(contrast(ink, new Color(GROUNDS[name])), name).toBeGreaterThanOrEqual(asked)
    },
  )

  test('the colours of people differ visibly from each other, from models and from errors', () => {
    const told = Object.fromEntries(looks)
    const models = THEMES[id as keyof typeof ASKED].modelTints.map((_tint, index) => `model ${index}`)
    const apart = [...NAME_COLOURS, ...models, 'error'].map((name) => [name, told[name]?.ink] as const)
    for (const [one, ink] of apart)
      for (const [other, otherInk] of apart) {
        if (one >= other || (models.includes(one) && models.includes(other))) continue
        // CIEDE2000. The two cyans of xterm's first 16 colours, which people took for one, are 11.2 apart.
        if (!ink || !otherInk) throw new TypeError(`${one} or ${other} has no colour`)
        expect(ink.deltaE(otherInk, '2000'), `${one} and ${other}`).toBeGreaterThanOrEqual(19)
      }
  })

  test('two model tints differ in colour or in text attributes', () => {
    const all = modelLooks(THEMES[id as keyof typeof ASKED])
    for (const [index, one] of all.entries())
      for (const other of all.slice(index + 1)) {
        if (!one.ink || !other.ink) throw new TypeError('a tint has no colour')
        if (one.marks.join() === other.marks.join())
          expect(one.ink.deltaE(other.ink, '2000')).toBeGreaterThanOrEqual(14)
      }
  })

  test('only questions, mentions and the status line have a background, questions the strongest', () => {
    const blocks = looks.filter(([, { ground }]) => ground)
    expect(blocks.map(([role]) => role).toSorted()).toEqual(['mention', 'status', 'waiting'])
    const inkOn = ([, { ink, ground }]: (typeof looks)[number]): number =>
      ink && ground ? contrast(ink, ground) : 0
    const [mostContrast] = blocks.toSorted((a, b) => inkOn(b) - inkOn(a))
    expect(mostContrast?.[0]).toBe('waiting')
  })
})

test('the mono theme has no colours, but marks people, models, mentions and questions differently', () => {
  const looks = lookInTheme(THEMES.mono)
  for (const look of Object.values(looks)) expect([look.ink, look.ground]).toEqual([undefined, undefined])
  const { own, model, mention, waiting, yellow } = looks as Record<string, Look>
  expect(new Set([own, model, mention, waiting, yellow].map((look) => look?.marks.join())).size).toBe(5)
})

test('the list of theme names has every theme', () => {
  expect(Object.keys(THEMES)).toEqual([...THEME_NAMES])
  for (const name of THEME_NAMES) expect(THEMES[name].id).toBe(name)
})

test.each(THEME_NAMES)('three models of one server look different in the theme %s', (id) => {
  const styleOf = createModelStyles()
  const look = (name: string): string => paintSpans([{ text: 'x', ...styleOf(name) }], THEMES[id])
  const names = Array.from({ length: 60 }, (_, index) => `m${index}`)
  expect(new Set(names.slice(0, 3).map(look)).size).toBe(3)
  expect(names.map(look)).toEqual(names.map(look))
})

test('a model keeps its tint, which differs between qwen, gpt and claude', () => {
  const styleOf = createModelStyles()
  const label = (name: string) => paintSpans([{ text: 'x', ...styleOf(name) }], THEMES.dark)
  expect(new Set(['qwen', 'gpt', 'claude', 'qwen'].map(label)).size).toBe(3)
})
