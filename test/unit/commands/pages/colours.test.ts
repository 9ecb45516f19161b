import Color from 'colorjs.io'
import { describe, expect, test } from 'vitest'
import { STYLE } from '../../../../src/commands/pages/style.ts'

/** The variables of a theme: `[name, colour]` of each `--name: #colour`. */
function coloursOf(theme: 'light' | 'dark'): ReadonlyMap<string, Color> {
  const [light = '', dark = ''] = STYLE.split('@media (prefers-color-scheme: dark)', 2)
  const text = theme === 'light' ? light : dark.slice(0, dark.indexOf('} }'))
  return new Map(
    Array.from(text.matchAll(/--([a-z]+\d*): (#[\da-f]+)/g), ([, name = '', hex = '']) => [
      name,
      new Color(hex),
    ]),
  )
}

describe.each(['light', 'dark'] as const)('on a %s page', (theme) => {
  const colours = coloursOf(theme)
  const named = [...colours].filter(([name]) => /^(?:n\d|model|error)$/.test(name))
  const grounds = ['ground', 'panel'].map((name) => colours.get(name) as Color)

  test('the colours of people, models and errors have enough contrast on a page', () => {
    expect(named.map(([name]) => name).toSorted()).toEqual([
      'error',
      'model',
      'n0',
      'n1',
      'n2',
      'n3',
      'n4',
      'n5',
    ])
    for (const [name, colour] of named)
      for (const ground of grounds)
        expect([name, colour.contrast(ground, 'WCAG21') >= 4.5]).toEqual([name, true])
  })

  test('no two colours of people, models and errors look alike on a page', () => {
    for (const [at, [name, colour]] of named.entries())
      for (const [other, against] of named.slice(at + 1))
        expect([name, other, colour.deltaE(against, '2000') >= 19]).toEqual([name, other, true])
  })
})
