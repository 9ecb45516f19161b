import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { look, skeleton } from '../../../../src/lib/text/names.ts'

describe('skeleton', () => {
  test.each([
    ['alice', 'ALICE'],
    ['alice', 'аlісе'],
    ['alice', 'аӏісе'],
    ['alice', 'АӀІСЕ'],
    ['paul', 'раu1'],
    ['bob', 'b0b'],
    ['lan', '1an'],
    ['modern', 'modem'],
    ['straße', 'STRASSE'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['İpek', 'ipek'],
    ['José', 'Jose\u0301'],
  ])('%s and %s are one name', (one, other) => {
    expect(skeleton(one)).toBe(skeleton(other))
  })

  test.each([
    ['alice', 'alicia'],
    ['jose', 'josé'],
    ['a_b', 'a-b'],
    ['bob', 'rob'],
    ['eve2', 'eve3'],
    ['Ali', 'all'],
    ['Kai', 'Kal'],
    ['Вера', 'Бера'],
  ])('%s and %s are told apart', (one, other) => {
    expect(skeleton(one)).not.toBe(skeleton(other))
  })

  test('case never matters, whatever the name', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('aBcİıßſσςΣКкЖΝνΗηm0OrnvV_-.')) }),
        (name) => {
          expect(skeleton(name.toUpperCase())).toBe(skeleton(name.toUpperCase().toLowerCase()))
        },
      ),
    )
  })
})

test.each([
  ['Ivan', 'lvan'],
  ['ΑΝΝ', 'ann'],
  ['Вера', 'bepa'],
  ['AL1CE', 'alice'],
  ['KAl', 'kai'],
  ['ALI', 'ali'],
  ['aIl', 'all'],
  ['Наӏа', 'hala'],
  ['ӏѕа', 'lsa'],
  ['аӀісе', 'alice'],
])('%s looks like %s', (name, other) => {
  expect(look(name)).toBe(skeleton(other))
})
