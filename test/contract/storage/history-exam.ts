import { expect, test } from 'vitest'
import type { RoomName, TurnId } from '../../../src/words/entry.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { message } from '../../support/storage.ts'
import { lobby, idOf, say } from './cast.ts'

/** What a history store must do; `store` gives that of the running test. */
export function historyExam(store: () => Storage): void {
  test('the history returns rows oldest first with the token counts of one encoding', async () => {
    await say(store(), 1, 3)
    await store().prompts.history.saveCounts(
      'o200k_base',
      new Map([
        [idOf(1), 11],
        [idOf(3), 13],
      ]),
    )
    await store().prompts.history.saveCounts('cl100k_base', new Map([[idOf(2), 22]]))
    expect(await newestOf(store(), {})).toEqual([
      ['text 1', 11],
      ['text 2', undefined],
      ['text 3', 13],
    ])
  })

  test('the history counts how often each tool ran in each room, without refused calls', async () => {
    const { entries } = store().chat
    const { history } = store().prompts
    const den = 'den' as RoomName
    const called = (n: number, tool: string | undefined, change: object = {}) =>
      entries.append({
        ...message(idOf(n), lobby, 'called'),
        ...{ kind: 'tool_call', call: `c${n}`, name: 'x', arguments: {}, requester: 'ann' },
        ...(tool === undefined ? {} : { tool }),
        ...change,
      })
    expect(await history.toolCalls(lobby)).toEqual({})
    await called(1, 'Grep')
    await called(2, '__proto__')
    await called(3, 'Grep')
    await called(4, 'Grep', { room: den })
    await called(5, 'Grep', { notRun: true })
    await called(6, undefined)
    await say(store(), 7, 7)
    expect(Object.entries(await history.toolCalls(lobby))).toEqual([
      ['Grep', 2],
      ['__proto__', 1],
    ])
    expect(await history.toolCalls(den)).toEqual({ Grep: 1 })
  })

  test('the history stops at the row that exceeds the requested tokens', async () => {
    await say(store(), 1, 9)
    await store().prompts.history.saveCounts(
      'o200k_base',
      new Map(Array.from({ length: 9 }, (_, n) => [idOf(n + 1), 10])),
    )
    expect(await newestOf(store(), { maxTokens: 25 })).toHaveLength(3)
    expect(await newestOf(store(), { maxTokens: 30 })).toHaveLength(4)
    expect(await newestOf(store(), { maxTokens: 0 })).toHaveLength(1)
    expect(await newestOf(store(), { maxRows: 2 })).toEqual([
      ['text 8', 10],
      ['text 9', 10],
    ])
  })

  test('the history estimates an uncounted row as a token per eight bytes', async () => {
    for (const n of [1, 2, 3]) await store().chat.entries.append(message(idOf(n), lobby, 'ä'.repeat(40)))
    expect(await newestOf(store(), { maxTokens: 15 })).toHaveLength(2)
  })

  test('the history respects before, after and kinds', async () => {
    await say(store(), 1, 4)
    await say(store(), 5, 6, 'presence')
    expect(await newestOf(store(), { kinds: ['message'], after: idOf(1), before: idOf(4) })).toEqual([
      ['text 2', undefined],
      ['text 3', undefined],
    ])
  })

  test('the history and the log omit entries of side turns on request', async () => {
    for (const n of [1, 2, 3]) {
      const entry = message(idOf(n), lobby, `text ${n}`)
      await store().chat.entries.append(n === 2 ? { ...entry, thread: 'T1' as TurnId } : entry)
    }
    const told = [
      ['text 1', undefined],
      ['text 3', undefined],
    ]
    expect(await newestOf(store(), { withoutThreads: true, maxRows: 2 })).toEqual(told)
    expect(await newestOf(store(), { withoutThreads: true, kinds: ['message'] })).toEqual(told)
    expect(await newestOf(store(), {})).toHaveLength(3)
    const read = async (query: object) =>
      (await store().chat.entries.read(lobby, { limit: 9, ...query })).map((entry) => entry.text)
    expect(await read({ withoutThreads: true })).toEqual(['text 1', 'text 3'])
    expect(await read({ withoutThreads: true, words: ['text'] })).toEqual(['text 1', 'text 3'])
    const [, side] = await store().chat.entries.read(lobby, { limit: 9 })
    expect(side).toMatchObject({ thread: 'T1' })
  })

  test('the history ignores counts of unknown entries and keeps the last of two counts', async () => {
    await say(store(), 1, 1)
    await store().prompts.history.saveCounts(
      'o200k_base',
      new Map([
        [idOf(1), 1],
        [idOf(7), 7],
      ]),
    )
    await store().prompts.history.saveCounts('o200k_base', new Map([[idOf(1), 2]]))
    expect(await newestOf(store(), {})).toEqual([['text 1', 2]])
  })
}

async function newestOf(
  store: Storage,
  query: object,
): Promise<readonly (readonly [string, number | undefined])[]> {
  const rows = await store.prompts.history.newest(lobby, {
    encoding: 'o200k_base',
    maxRows: 99,
    maxTokens: 1e6,
    ...query,
  })
  return rows.map((row) => [row.entry.text, row.tokens])
}
