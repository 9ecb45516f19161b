import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Entry } from '../../../src/words/entry.ts'
import { searchTerms } from '../../../src/chat/text/input-text.ts'
import { message } from '../../support/storage.ts'
import { den, idOf, lobby, say, textsOf } from './cast.ts'

/** How a store reads what was edited and taken back; `store` gives that of the running test. */
export function revisionsExam(store: () => Storage): void {
  const edit = (n: number, of: number, text: string, where = lobby): Promise<unknown> =>
    store().chat.entries.append({ ...message(idOf(n), where, text), edits: idOf(of) })
  const retract = (n: number, of: number): Promise<unknown> => {
    const notice = {
      ...message(idOf(n), lobby, 'took back'),
      kind: 'notice',
      level: 'info',
      retracts: idOf(of),
    }
    return store().chat.entries.append(notice as Entry)
  }
  const read = (revised: boolean): Promise<readonly Entry[]> =>
    store().chat.entries.read(lobby, { limit: 99, ...(revised ? { revised } : {}) })
  const find = async (words: string, prefer: 'newest' | 'best' = 'newest'): Promise<readonly string[]> =>
    textsOf(
      (await store().chat.entries.search({ rooms: [lobby], terms: searchTerms(words), limit: 99, prefer }))
        .entries,
    )

  test('a revised read shows the last version in the place of the first, and the log keeps both', async () => {
    await say(store(), 1, 3)
    await edit(4, 2, 'second')
    await edit(5, 2, 'third')
    expect(await read(true)).toEqual([
      message(idOf(1), lobby, 'text 1'),
      { ...message(idOf(2), lobby, 'third'), edited: idOf(5) },
      message(idOf(3), lobby, 'text 3'),
    ])
    expect(textsOf(await read(false))).toEqual(['text 1', 'text 2', 'text 3', 'second', 'third'])
    expect((await read(false)).at(-1)).toEqual({ ...message(idOf(5), lobby, 'third'), edits: idOf(2) })
  })

  test('a retracted entry disappears with all its versions, and no later edit restores it', async () => {
    await say(store(), 1, 2)
    await edit(3, 1, 'second')
    await retract(4, 1)
    await edit(5, 1, 'third')
    expect(textsOf(await read(true))).toEqual(['text 2', 'took back'])
    expect(textsOf(await read(false))).toEqual(['text 1', 'text 2', 'second', 'took back', 'third'])
  })

  test('a log search finds only the last version and no retracted entry', async () => {
    await say(store(), 1, 2)
    expect(await find('text')).toEqual(['text 1', 'text 2'])
    await edit(3, 1, 'a text with wool')
    await edit(4, 1, 'a text with silk')
    for (const prefer of ['newest', 'best'] as const) {
      expect(await find('text 1', prefer)).toEqual([])
      expect(await find('wool', prefer)).toEqual([])
      expect(await find('silk', prefer)).toEqual(['a text with silk'])
    }
    await retract(5, 1)
    expect(await find('silk')).toEqual([])
    expect(await find('text')).toEqual(['text 2'])
  })

  test('the prompt history has last versions without the token counts of earlier ones', async () => {
    const { history } = store().prompts
    await say(store(), 1, 3)
    await history.saveCounts('o200k_base', new Map([1, 2, 3].map((n) => [idOf(n), 10 + n])))
    await edit(4, 2, 'second')
    await retract(5, 3)
    const query = { encoding: 'o200k_base', maxRows: 99 }
    const shown = [
      ['text 1', 11],
      ['second', undefined],
      ['took back', undefined],
    ]
    const rows = [
      await history.newest(lobby, { ...query, maxTokens: 999 }),
      await history.following(lobby, query),
      await history.following(lobby, { ...query, kinds: ['message', 'notice'], withoutThreads: true }),
    ]
    for (const found of rows) expect(found.map(({ entry, tokens }) => [entry.text, tokens])).toEqual(shown)
  })

  test("an edit of another room's entry or of a missing entry has no effect", async () => {
    await say(store(), 1, 1)
    await edit(2, 1, 'elsewhere', den)
    await edit(3, 9, 'nowhere')
    await retract(4, 8)
    expect(textsOf(await read(true))).toEqual(['text 1', 'took back'])
    expect(await find('text')).toEqual(['text 1'])
  })
}
