import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { oneScript, skeleton } from '../../../../src/lib/text/skeleton.ts'

describe('skeleton', () => {
  test.each([
    ['alice', 'ALICE'],
    ['alice', 'а1ісе'],
    ['paul', 'раυl'],
    ['bob', 'b0b'],
    ['lan', 'Ian'],
    ['modern', 'modem'],
    ['ANNA', 'АNNА'],
    ['straße', 'STRASSE'],
    ['wide', 'ｗｉｄｅ'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['vvait', 'wait'],
  ])('%s and %s look the same', (one, other) => {
    expect(skeleton(one)).toBe(skeleton(other))
  })

  test.each([
    ['alice', 'alicia'],
    ['jose', 'josé'],
    ['a_b', 'a-b'],
    ['bob', 'rob'],
    ['eve2', 'eve3'],
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

describe('oneScript', () => {
  test.each(['alice', 'José_1', 'Алиса', 'Αλίκη', '山田たろう', '김철수', '12.3', 'नमस्ते', 'علي'])(
    '%s is of one script',
    (name) => {
      expect(oneScript(name)).toBe(true)
    },
  )
  test.each(['аlice', 'Pаul', 'βob', 'aж', 'ab\u0663'])('%s mixes scripts', (name) => {
    expect(oneScript(name)).toBe(false)
  })
})
