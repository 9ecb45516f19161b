import { expect, test } from 'vitest'
import {
  marksAreInPlace,
  oneNumberSystem,
  scriptsGoTogether,
  strangeCharacter,
} from '../../../../src/lib/text/names.ts'

test.each([
  ['ɢuide', 'ɢ'],
  ['ꜱystem', 'ꜱ'],
  ['\u3164', '\u3164'],
  ['ab\u200dc', '\u200d'],
  ['a\u00adb', '\u00ad'],
  ['Ꭺlice', 'Ꭺ'],
  ['ｗide', 'ｗ'],
  ['𝐚nn', '𝐚'],
])('the first character of %j that no name has is %j', (name, character) => {
  expect(strangeCharacter(name)).toBe(character)
})

test.each(['O-Neil_2.x', 'Łukasz', 'अनिता', '佐々木', 'タロー'])('all of %s may be in a name', (name) => {
  expect(strangeCharacter(name)).toBeUndefined()
})

test.each([
  'alice',
  'José_1',
  'Алиса',
  'Αλίκη',
  '山田たろう',
  'Tanaka太郎',
  '김철수',
  'Kim金철',
  '12.3',
  'aא',
])('the scripts of %s go together', (name) => {
  expect(scriptsGoTogether(name)).toBe(true)
})

test.each(['аlice', 'Pаul', 'βob', 'aж', 'Аλ', 'อа', 'あ한'])('%s mixes scripts', (name) => {
  expect(scriptsGoTogether(name)).toBe(false)
})

test.each([
  ['room12', true],
  ['علي١٢', true],
  ['12٣', false],
  ['१2', false],
])('that the digits of %s are of one system is %s', (name, expected) => {
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
])('that the marks of %s are in place is %s', (name, expected) => {
  expect(marksAreInPlace(name)).toBe(expected)
})
