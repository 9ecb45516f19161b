import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  look,
  marksAreInPlace,
  oneNumberSystem,
  scriptsGoTogether,
  skeleton,
  strangeCharacter,
} from '../../../../src/base/text/names.ts'

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
])('the names %s and %s have the same skeleton', (one, other) => {
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
])('the names %s and %s have different skeletons', (one, other) => {
  expect(skeleton(one)).not.toBe(skeleton(other))
})

test('the skeleton of a name does not depend on case', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from('aBcİıßſσςΣКкЖΝνΗηm0OrnvV_-.')) }),
      (name) => {
        expect(skeleton(name.toUpperCase())).toBe(skeleton(name.toUpperCase().toLowerCase()))
      },
    ),
  )
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
])('the name %s looks like %s', (name, other) => {
  expect(look(name)).toBe(skeleton(other))
})

test.each([
  ['ɢuide', 'ɢ'],
  ['ꜱystem', 'ꜱ'],
  ['\u3164', '\u3164'],
  ['ab\u200dc', '\u200d'],
  ['a\u00adb', '\u00ad'],
  ['Ꭺlice', 'Ꭺ'],
  ['ｗide', 'ｗ'],
  ['𝐚nn', '𝐚'],
])('the first character of %j that is not allowed in names is %j', (name, character) => {
  expect(strangeCharacter(name)).toBe(character)
})

test.each(['O-Neil_2.x', 'Łukasz', 'अनिता', '佐々木', 'タロー'])(
  'the characters of %s are allowed in names',
  (name) => {
    expect(strangeCharacter(name)).toBeUndefined()
  },
)

test.each('alice José_1 Алиса Αλίκη 山田たろう Tanaka太郎 김철수 Kim金철 12.3 aא'.split(' '))(
  'the name %s has scripts that may be combined',
  (name) => {
    expect(scriptsGoTogether(name)).toBe(true)
  },
)

test.each(['аlice', 'Pаul', 'βob', 'aж', 'Аλ', 'อа', 'あ한'])('the name %s mixes scripts', (name) => {
  expect(scriptsGoTogether(name)).toBe(false)
})

test.each([
  ['room12', true],
  ['علي١٢', true],
  ['12٣', false],
  ['१2', false],
])('the name %s has digits of one number system: %s', (name, expected) => {
  expect(oneNumberSystem(name)).toBe(expected)
})

test.each([
  ['กิ่ง', true],
  ['a\u0301', true],
  ['\u0301a', false],
  ['_\u0301', false],
  ['a\u0301\u0301', false],
  ['i\u0307van', false],
  ['l\u0307', false],
  ['İpek', true],
])('the name %s has its combining marks in allowed places: %s', (name, expected) => {
  expect(marksAreInPlace(name)).toBe(expected)
})
