import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { anyCharacter } from '../support/any-character.ts'

/** Every verb there is; a test keeps that page as the commands are. What ends a session on purpose is left out. */
const VERBS = Array.from(
  readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8').matchAll(/^### (\S+)$/gm),
  ([, verb]) => verb ?? '',
).filter((verb) => verb !== 'quit')

const ROOMS = ['lobby', 'den', 'attic', 'nowhere', '-', '', '../lobby', 'LOBBY', 'x'.repeat(33)]
const FLAGS = ['--json', '--private', '-n', '--before', '--html', '--', '-', '--allow', 'full', 'last', 'new']
const OTHERS = '@guide,@guide call whoami {},@nobody,on,off,show,set,reset,check,north'.split(',')
const VALUES = ['[['.repeat(40), ...`{} [] {"a": 0 -1 1e99 99999999999 null %s%n $(id) ' "`.split(' ')]
/** What readers of text stumble over: controls, overrides, marks, wide, invisible and lone characters. */
const STRANGE = '\u202e \u200d e\u0301\u0301 👨‍👩‍👧‍👦 漢字 \u{e0041} \u0000 \u009b \ufeff \u2028 ﷺ'.split(' ')

const strange = fc.constantFrom(...STRANGE)
const unicode = fc.string({ unit: anyCharacter, maxLength: 12 })
const argument = fc.oneof(
  fc.constantFrom(...ROOMS, ...FLAGS, ...OTHERS, ...VALUES),
  strange,
  unicode,
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)

/** A command as people and scripts write it, in every way wrong or right; without the slash. */
export const command: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...VERBS), fc.array(argument, { maxLength: 5 }))
  .map(([verb, words]) => [verb, ...words].join(' '))
  .filter((line) => !/[\r\n\u0004]/.test(line))

/** Text of any kind, short or very long. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 2, arbitrary: fc.array(strange, { maxLength: 20 }).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: unicode },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.oneof(strange, unicode), fc.integer({ min: 1, max: 4000 }))
      .map(([part, times]) => part.repeat(times)),
  },
)

/** Columns or rows as a client may claim them. */
export const cells: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.constantFrom(0, 1, 2, 3, 1000, 65_535, 2 ** 31, 2 ** 32 - 1),
)
