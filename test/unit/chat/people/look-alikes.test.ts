import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Fingerprint, Person } from '../../../../src/words/person.ts'
import { createPeopleParts } from '../../../support/people.ts'
import { createChatParts } from '../../../support/chat-parts.ts'

const key = (name: string) => `SHA256:${name}` as Fingerprint

async function startPeople() {
  return createPeopleParts(await createChatParts(), { modelNames: ['guide'], namesPerKey: 10_000 }).people
}

/** For each ASCII letter and digit, all characters that Unicode says look like it; make-tables.sh makes the list. */
const LOOK_ALIKES = new Map(
  readFileSync(join(import.meta.dirname, '../../../unicode/look-alikes.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [letter = '', ...codes] = line.split(' ')
      return [letter, codes.map((code) => String.fromCodePoint(Number.parseInt(code, 16)))]
    }),
)

const ORIGINALS = 'alice Paul BOB Eve3 Xochi HYMNS zebra Kyoto Ivan dmitri fgw9'.split(' ')

/** One letter exchanged, for each letter of the name and each of its look-alikes; and whole names of one script. */
const oneExchanged = (name: string): readonly string[] =>
  Array.from(name).flatMap((letter, at) =>
    (LOOK_ALIKES.get(letter) ?? []).map((like) => name.slice(0, at) + like + name.slice(at + 1)),
  )

const allExchanged = (name: string): readonly string[] =>
  ['Cyrillic', 'Greek', 'Cherokee', 'Armenian', 'Lisu', 'Coptic', 'Deseret'].flatMap((script) => {
    const ofScript = new RegExp(`\\p{Script=${script}}`, 'u')
    const letters = Array.from(name, (letter) => LOOK_ALIKES.get(letter)?.find((like) => ofScript.test(like)))
    return letters.every((like) => like !== undefined) ? [letters.join('')] : []
  })

const lookAlikesOf = (name: string): readonly string[] => [...oneExchanged(name), ...allExchanged(name)]

/** Somebody was let in under the name they asked for. */
const isAccepted = (outcome: Person | Error): boolean => !(outcome instanceof Error) && !outcome.guest

async function accepted(asked: readonly string[], before: readonly string[]): Promise<readonly string[]> {
  const people = await startPeople()
  for (const name of before) await people.identify(name, key('original'), '127.0.0.1')
  const found = []
  for (const name of asked) {
    const outcome = await people.identify(name, key(`of ${name}`), '127.0.0.1').catch((error: Error) => error)
    if (isAccepted(outcome)) found.push(name)
  }
  return found
}

test.each(ORIGINALS)('a look-alike of %s is not accepted if the original is registered', async (original) => {
  const asked = lookAlikesOf(original)
  expect(asked.length).toBeGreaterThan(40)
  expect(await accepted(asked, [original])).toEqual([])
})

test('the look-alike tests cover more than 1,000 names', () => {
  expect(new Set(ORIGINALS.flatMap(lookAlikesOf)).size).toBeGreaterThan(1_000)
})

test('a name is refused if a look-alike of it was registered first, in either order', async () => {
  expect(await accepted(['BEPA'], ['Вера'])).toEqual([])
  expect(await accepted(['Вера'], ['Bepa'])).toEqual([])
  expect(await accepted(['вера'], ['Bepa'])).toEqual(['вера'])
  expect(await accepted(['Ivan'], ['lvan'])).toEqual([])
  expect(await accepted(['lvan'], ['Ivan'])).toEqual([])
})

test('a look-alike of a reserved name or of a model name is refused', async () => {
  const asked = ['system', 'guide', 'all', 'lobby'].flatMap((name) => [
    ...lookAlikesOf(name),
    ...lookAlikesOf(name.toUpperCase()),
  ])
  expect(await accepted([...asked, 'A11', 'aII', 'ɢuide', 'ꜱystem', 'ᴀll'], [])).toEqual([])
})

test('a look-alike in another script, in small capitals or in blank letters is refused', async () => {
  const asked = 'ΑΝΝ ᎪᏞᏆᏟᎬ ᴀʟɪᴄᴇ А1ісе Alice AL1CE аӏісе аӀісе АӀІСЕ ɢuide ꜱystem \u3164 \u3164\u3164'.split(
    ' ',
  )
  expect(await accepted(asked, ['Ann', 'alice'])).toEqual([])
})

const RESERVED = [
  ...['system', 'server', 'lobby', 'everyone', 'all', 'you', 'op', 'owner', 'operator', 'moderator', 'admin'],
  ...['assistant', 'user', 'root', 'here', 'channel'],
]

test.each(RESERVED)(
  'the reserved name %s is refused in any case and with look-alike letters',
  async (name) => {
    const zero = name.replaceAll('o', '0').replaceAll('l', '1')
    expect(await accepted([name, name.toUpperCase(), zero, ...lookAlikesOf(name)], [])).toEqual([])
  },
)

test('a name with strokes similar to the letter l is refused if the original is registered', async () => {
  const strokes = 'ӏ Ӏ ӀI 1 ו ן ا ١ ۱ ǀ Ɩ ɩ Ι І | ｌ ⅼ ℓ'.split(' ')
  for (const of of ['lola', 'Paul', 'аӏѕа']) {
    const asked = strokes.map((stroke) => of.replaceAll(/[lӏ]/g, stroke)).filter((name) => name !== of)
    expect(await accepted(asked, [of])).toEqual([])
  }
})

const INVISIBLE = [
  ...'ad 34f 61c 115f 1160 17b4 17b5 180b 180e 200b 200c 200d 200e 202e 2060 2064 2066 206f 2800 3164'.split(
    ' ',
  ),
  ...'fe0f feff ffa0 fff9 1d159 1d173 e0001 e0061 e0100'.split(' '),
].map((code) => String.fromCodePoint(Number.parseInt(code, 16)))

test('a name with an invisible character is refused, with or without its original registered', async () => {
  const asked = INVISIBLE.flatMap((sign) => [
    sign,
    sign + sign,
    `al${sign}ice`,
    `alice${sign}`,
    `${sign}alice`,
  ])
  expect(await accepted(asked, 'alice'.split(' '))).toEqual([])
})

const NAMES_OF_PEOPLE: Readonly<Record<string, readonly string[]>> = {
  English: ['Ali', 'Bill', 'Ivan', 'O-Neil', 'mary.ann_2'],
  French: ['Zoë', 'François', 'Hélène', 'Cœur'],
  German: ['Jörg', 'Weiß', 'Käthe'],
  Icelandic: ['Þórður', 'Sæunn'],
  Vietnamese: ['Nguyễn', 'Trần_Đức', 'Phượng'],
  Turkish: ['Işık', 'İpek', 'Gülşen', 'Çağrı'],
  Polish: ['Łukasz', 'Żółkiewski', 'Świętosława'],
  Greek: ['Νίκος', 'Ελένη', 'Αλέξανδρος'],
  Russian: ['Вера', 'Анна', 'Сергей', 'Пётр'],
  Ukrainian: ['Олександр', 'Їжакевич', 'Ґалаґан'],
  Hebrew: ['שרה', 'יצחק'],
  Arabic: ['محمد', 'فاطمة'],
  Persian: ['پریسا', 'ژاله'],
  Hindi: ['अनिता', 'कृष्ण'],
  Bengali: ['রবীন্দ্রনাথ'],
  Tamil: ['தமிழ்ச்செல்வி'],
  Thai: ['สมชาย', 'กิ่งแก้ว'],
  Chinese: ['王小明', '李娜', 'Wang小明'],
  Japanese: ['山田たろう', 'タロー', '佐々木', 'Tanaka太郎'],
  Korean: ['김철수', '박서연', '李승만'],
  Georgian: ['გიორგი', 'ნინო'],
  Armenian: ['Արամ', 'Հայկ'],
  Amharic: ['አበበ', 'ጥሩነሽ'],
}

test.each(Object.entries(NAMES_OF_PEOPLE))(
  'common names in %s are accepted side by side',
  async (_, names) => {
    expect(await accepted(names, [])).toEqual(names.map((name) => name.normalize('NFC')))
    const decomposed = names.map((name) => name.normalize('NFD'))
    expect(await accepted(decomposed, [])).toHaveLength(names.length)
  },
)
