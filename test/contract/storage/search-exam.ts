import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Entry, EntryId, RoomName, TurnId } from '../../../src/words/entry.ts'
import type { SearchQuery } from '../../../src/chat/ports.ts'
import { searchTerms } from '../../../src/chat/text/input-text.ts'
import { message } from '../../support/storage.ts'
import { den, idOf, idsOf, lobby, nowhere, say, textsOf } from './cast.ts'

/** How searching a store must work; `store` gives that of the running test. */
export function searchExam(store: () => Storage): void {
  const search = async (words: string, more: Partial<SearchQuery> = {}): Promise<readonly Entry[]> => {
    const terms = more.terms ?? searchTerms(words)
    const found = await store().chat.entries.search({ rooms: [lobby], terms, limit: 99, ...more })
    expect(found.behind).toBe(undefined)
    return found.entries
  }
  const find = async (words: string, more?: Partial<SearchQuery>): Promise<readonly string[]> =>
    textsOf(await search(words, more))
  const append = async (...texts: readonly string[]): Promise<void> => {
    for (const [n, text] of texts.entries()) await store().chat.entries.append(message(idOf(n), lobby, text))
  }

  test('a log search finds entries with every word in text or author, in any order, case and accents', async () => {
    await append('Deploy the SERVER', 'deploy 100% of it', 'ÄRGER über Größe', 'it’s (done)')
    expect(await find('server deploy')).toEqual(['Deploy the SERVER'])
    expect(await find('DEPLOY')).toHaveLength(2)
    expect(await find('100%')).toEqual(['deploy 100% of it'])
    expect(await find('arger')).toEqual(['ÄRGER über Größe'])
    expect(await find('grösse Ärger')).toEqual(['ÄRGER über Größe'])
    expect(await find('über nichts')).toEqual([])
    expect(await find('Größe Über')).toEqual(['ÄRGER über Größe'])
    expect(await find("done it's")).toEqual(['it’s (done)'])
    expect(await find('alice done')).toEqual(['it’s (done)'])
    expect(await find('deploy nothing')).toEqual([])
  })

  test.each([
    ['Straße', ['straße', 'STRASSE', 'strasse', 'STRAẞE', 'stras', 'straß', '"Strasse"']],
    ['STRASSE', ['straße', 'Straße', 'strasse']],
    ['eﬃcient ﬂow', ['EFFICIENT FLOW', 'eﬃ']],
    ['և', ['եւ', 'ԵՒ']],
    ['ΟΔΟΣ', ['οδος', 'οδοσ', 'Οδός']],
    ['Οδοσσεια', ['οδος']],
    ['ᾳδω', ['ΑΔΩ', 'αδω']],
    ['DIŞ KAPI', ['dış kapı', 'dis kapi']],
  ])('a log search finds %s by all forms of its letters', async (text, searches) => {
    await append(text, 'something else')
    for (const words of searches) expect(await find(words), words).toEqual([text])
  })

  test('a log search finds words by their prefix, and quoted words exactly', async () => {
    await append('building green', 'green build', 'the build is green', 'C++ and C')
    expect(await find('bui')).toHaveLength(3)
    expect(await find('bui* gre')).toHaveLength(3)
    expect(await find('"build"')).toEqual(['green build', 'the build is green'])
    expect(await find('"build is" green')).toEqual(['the build is green'])
    expect(await find('"is build"')).toEqual([])
    expect(await find('uild')).toEqual([])
    expect(await find('c++')).toEqual(['C++ and C'])
    expect(await find('b')).toEqual([])
  })

  test.each([
    ['Chinese', '我们明天部署新的服务器', '部署', '服务器', '署部'],
    ['Japanese', 'サーバーを再起動しました', '再起動', 'サーバー', '起再'],
    ['Thai', 'สวัสดีครับทุกคน', 'สวัสดี', 'ครับ', 'คนทุก'],
    ['Hindi', 'नमस्ते दुनिया', 'नमस्ते', 'दुनिया', 'मस्ते'],
    ['Russian', 'Ёжик в тумане', 'ежик', 'тума', 'умане'],
    ['Arabic', 'مَرْحَبًا بالعالم', 'مرحبا', 'بالع', 'عالم'],
    ['Korean', '서버를 다시 시작', '서버', '다시', '버를'],
    ['emoji', 'shipped 🎉 by 👩‍🚀 today ❤️', '🎉', '👩‍🚀', '🎈'],
  ])('a log search finds words of %s', async (_script, text, one, other, absent) => {
    await append('something else', text)
    expect(await find(one)).toEqual([text])
    expect(await find(`${other} ${one}`)).toEqual([text])
    expect(await find(absent)).toEqual([])
  })

  test('a log search leaves out lines of one author before it counts them', async () => {
    await append('tell bob', 'bob is here')
    await store().chat.entries.append({ ...message(idOf(8), lobby, 'I am bob'), author: 'bob' })
    expect(await find('bob', { limit: 1 })).toEqual(['I am bob'])
    expect(await find('bob', { limit: 2, withoutAuthor: 'bob' })).toEqual(['tell bob', 'bob is here'])
    expect(await find('bob', { prefer: 'best', withoutAuthor: 'bob' })).toHaveLength(2)
  })

  test('a log search accepts any text with words, whatever its syntax', async () => {
    await append('the build is green NEAR AND OR NOT')
    const odd = [
      "x'",
      '%x',
      '_x',
      '^x',
      '(x',
      '{a b}',
      '-x',
      '+x',
      'FAR(',
      'a AND',
      'room:lobby',
      '\u0000x',
      'x:"',
    ]
    for (const words of [...odd, 'é'.repeat(100_000), '漢'.repeat(5_000)])
      expect(await find(words)).toEqual([])
    expect(await search('', { terms: [{ text: '"...\ud800', whole: true }] })).toEqual([])
    expect(await find('build AND green')).toHaveLength(1)
    expect(await find(Array.from({ length: 500 }, () => 'build').join(' '))).toHaveLength(1)
    expect(await find(Array.from({ length: 500 }, (_, n) => `w${n}`).join(' '))).toEqual([])
  })

  test('a log search finds entries older than a given entry', async () => {
    await append('needle 0', 'needle 1', 'hay 2', 'needle 3')
    expect(await find('needle', { before: idOf(3) })).toEqual(['needle 0', 'needle 1'])
    expect(await find('needle', { before: idOf(3), limit: 1 })).toEqual(['needle 1'])
    expect(await find('needle', { before: idOf(0), prefer: 'best' })).toEqual([])
  })

  test('a log search finds nothing outside of the requested rooms', async () => {
    await store().chat.entries.append(message(idOf(1), 'lobby', 'needle'))
    await store().chat.entries.append(message(idOf(2), 'den', 'needle'))
    await store().chat.entries.append(message(idOf(3), 'den-2', 'needle'))
    await store().chat.entries.append(message(idOf(4), 'den_2', 'needle'))
    const inRooms = async (...rooms: readonly string[]): Promise<readonly EntryId[]> =>
      idsOf(await search('needle', { rooms: rooms as RoomName[] }))
    expect(await inRooms('den')).toEqual([idOf(2)])
    expect(await inRooms('den-2')).toEqual([idOf(3)])
    expect(await inRooms('den_2', 'lobby')).toEqual([idOf(1), idOf(4)])
    expect(await inRooms()).toEqual([])
    expect(await inRooms('nowhere')).toEqual([])
    expect(await inRooms('lobby', ...Array.from({ length: 1000 }, (_, n) => `room${n}`))).toEqual([idOf(1)])
    expect(await search('6c6f626279')).toEqual([])
  })

  test('a log search finds newly appended entries among thousands, and a limit keeps the newest', async () => {
    await Promise.all(
      Array.from({ length: 7000 }, (_, n) =>
        store().chat.entries.append(message(idOf(n), n % 2 ? den : lobby, n % 1000 === 0 ? 'needle' : 'hay')),
      ),
    )
    const needles = async (more: Partial<SearchQuery> = {}): Promise<readonly EntryId[]> =>
      idsOf(await search('needle', more))
    expect(await needles()).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000].map(idOf))
    expect(await needles({ limit: 2.9 })).toEqual([5000, 6000].map(idOf))
    expect(await needles({ rooms: [den, nowhere] })).toEqual([])
    for (const limit of [0, -1, Number.NaN]) expect(await needles({ limit })).toEqual([])
    await store().chat.entries.append(message(idOf(7000), lobby, 'a needle more'))
    expect(await needles({ limit: 1 })).toEqual([idOf(7000)])
  })

  test('a log search respects kinds and omits side turns on request', async () => {
    await say(store(), 1, 1)
    await say(store(), 2, 2, 'action')
    const thread = 'T' as TurnId
    await store().chat.entries.append({ ...message(idOf(3), lobby, 'text of a side turn'), thread })
    expect(idsOf(await search('text'))).toEqual([1, 2, 3].map(idOf))
    expect(idsOf(await search('text', { kinds: ['action'] }))).toEqual([idOf(2)])
    expect(idsOf(await search('text', { kinds: [] }))).toEqual([])
    expect(idsOf(await search('text', { withoutThreads: true }))).toEqual([1, 2].map(idOf))
  })

  test('a log search returns the best matches first on request', async () => {
    const long = `the build ${'and many other words '.repeat(20)}`
    await append('build build build', long, 'other')
    expect(await find('build', { prefer: 'best' })).toEqual(['build build build', long])
    expect(await find('build', { prefer: 'best', limit: 1 })).toEqual(['build build build'])
    expect(await find('build', { limit: 1 })).toEqual([long])
  })
}
