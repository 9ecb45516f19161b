import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Entry, EntryId, EntryKind, TurnId } from '../../../src/words/entry.ts'
import { message } from '../../support/storage.ts'
import { lobby, den, nowhere, idOf, idsOf, refused, textsOf, say } from './cast.ts'

/** What an entry log store must do; `store` gives that of the running test. */
export function entryLogExam(store: () => Storage): void {
  test('the entry log returns each kind of entry as it was appended', async () => {
    const base = { at: 17, room: lobby, author: 'alice', text: 'Grüße, 漢字 👩‍🚀\n\tline "two" \u0000 %_\\' }
    const turn = 'T1' as TurnId
    const entries: Entry[] = [
      { ...base, id: idOf(1), kind: 'message' },
      { ...base, id: idOf(2), kind: 'action' },
      { ...base, id: idOf(3), kind: 'presence', event: 'joined' },
      { ...base, id: idOf(4), kind: 'notice', level: 'error', turn },
      { ...base, id: idOf(5), kind: 'reply', turn, outcome: 'done', usage: { input: 7, output: 9 } },
      {
        ...base,
        id: idOf(6),
        kind: 'tool_call',
        call: 'c',
        name: 'Grep',
        arguments: { a: [1, null, '\ud800'] },
        requester: 'bob',
      },
      {
        ...base,
        id: idOf(7),
        kind: 'tool_result',
        call: 'c',
        name: 'Grep',
        tool: 'Grep',
        isError: false,
        durationMs: 3,
        bytes: 4,
      },
      { ...base, id: idOf(8), kind: 'scope', scope: ['Gr*', '!Grep'] },
      { ...base, id: idOf(9), kind: 'approval', tool: 'run_command', requester: 'bob', verdict: 'room' },
      {
        ...{ ...base, id: idOf(10), kind: 'file' },
        files: [{ name: 'a.txt', event: 'made', size: 4, type: 'text' }],
      },
    ]
    for (const entry of entries) await store().chat.entries.append(entry)
    expect(await store().chat.entries.read(lobby, { limit: 100 })).toEqual(entries)
  })

  test('the entry log returns the newest entries of one room, oldest first', async () => {
    await say(store(), 1, 9)
    await say(store(), 10, 12, 'message', den)
    expect(idsOf(await store().chat.entries.read(lobby, { limit: 3 }))).toEqual([idOf(7), idOf(8), idOf(9)])
    expect(idsOf(await store().chat.entries.read(den, { limit: 99 }))).toEqual([idOf(10), idOf(11), idOf(12)])
    expect(await store().chat.entries.read(nowhere, { limit: 99 })).toEqual([])
  })

  test('the entry log returns the oldest entries or their sizes on request', async () => {
    await say(store(), 1, 9)
    const oldest = { limit: 2, oldestFirst: true } as const
    expect(idsOf(await store().chat.entries.read(lobby, oldest))).toEqual([idOf(1), idOf(2)])
    expect(idsOf(await store().chat.entries.read(lobby, { ...oldest, after: idOf(7) }))).toEqual([
      idOf(8),
      idOf(9),
    ])
    expect(
      (await store().chat.entries.sizes(lobby, { ...oldest, after: idOf(3) })).map(({ id }) => id),
    ).toEqual([idOf(4), idOf(5)])
  })

  test('room statistics count entries, tool calls and charged tokens by author or day', async () => {
    const day = 24 * 60 * 60 * 1000
    const base = { at: 1, room: lobby, author: 'alice', text: 'x' }
    const call = {
      ...base,
      kind: 'tool_call',
      call: 'c',
      name: 'n',
      arguments: {},
      requester: 'bob',
    } as const
    const turn = 'T1' as TurnId
    const usage = { input: 700, output: 900 }
    const entries: Entry[] = [
      { ...base, id: idOf(1), kind: 'message' },
      { ...call, id: idOf(2), author: 'qwen' },
      { ...call, id: idOf(3), author: 'qwen', notRun: true },
      { ...base, id: idOf(4), author: 'qwen', kind: 'reply', turn, outcome: 'done', usage },
      { ...base, id: idOf(5), at: day, author: 'qwen', kind: 'reply', turn, outcome: 'failed' },
      { ...base, id: idOf(6), room: den, kind: 'message' },
    ]
    for (const entry of entries) await store().chat.entries.append(entry)
    const charge = {
      person: 'bob',
      payers: [],
      model: 'qwen',
      opensTurn: true,
      usage: { input: 7, output: 9 },
    }
    for (const at of [1, day, 3 * day]) await store().models.charges.add({ ...charge, room: lobby, at })
    await store().models.charges.add({ ...charge, room: den, at: 1 })
    expect(await store().chat.entries.stats(lobby)).toEqual({
      entries: 5,
      first: 1,
      last: day,
      authors: [
        { author: 'qwen', entries: 4 },
        { author: 'alice', entries: 1 },
      ],
      days: [
        { day: '1970-01-04', entries: 0, calls: 0, replies: 0, input: 7, output: 9 },
        { day: '1970-01-02', entries: 1, calls: 0, replies: 1, input: 7, output: 9 },
        { day: '1970-01-01', entries: 4, calls: 1, replies: 1, input: 7, output: 9 },
      ],
    })
    expect(await store().chat.entries.stats(nowhere)).toEqual({ entries: 0, authors: [], days: [] })
  })

  test('the entry log returns the sizes of entries without their texts', async () => {
    await store().chat.entries.append(message(idOf(1), lobby, 'é'.repeat(1_000)))
    await say(store(), 2, 4)
    for (const query of [{ limit: 9 }, { limit: 2, before: idOf(4) }]) {
      const sizes = await store().chat.entries.sizes(lobby, query)
      expect(sizes.map(({ id }) => id)).toEqual(idsOf(await store().chat.entries.read(lobby, query)))
    }
    const [large, small] = await store().chat.entries.sizes(lobby, { limit: 9 })
    expect(large?.bytes).toBeGreaterThanOrEqual(2_000)
    expect(small?.bytes).toBeLessThan(200)
    expect(await store().chat.entries.sizes(nowhere, { limit: 9 })).toEqual([])
  })

  test('the entry log respects before and after, even for missing ids', async () => {
    await say(store(), 1, 9)
    const read = async (query: object): Promise<readonly EntryId[]> =>
      idsOf(await store().chat.entries.read(lobby, { limit: 2, ...query }))
    expect(await read({ before: idOf(5) })).toEqual([idOf(3), idOf(4)])
    expect(await read({ after: idOf(5) })).toEqual([idOf(8), idOf(9)])
    expect(await read({ after: idOf(5), before: idOf(8) })).toEqual([idOf(6), idOf(7)])
    expect(await read({ after: idOf(9) })).toEqual([])
    expect(await read({ before: '0' })).toEqual([])
  })

  test('the entry log returns only the requested kinds, in order', async () => {
    await say(store(), 1, 2)
    await say(store(), 3, 4, 'action')
    await say(store(), 5, 5, 'scope')
    await say(store(), 6, 6)
    const read = async (kinds: EntryKind[], limit = 9): Promise<readonly EntryId[]> =>
      idsOf(await store().chat.entries.read(lobby, { limit, kinds }))
    expect(await read(['action', 'message', 'action'])).toEqual([1, 2, 3, 4, 6].map(idOf))
    expect(await read(['message', 'action'], 3)).toEqual([3, 4, 6].map(idOf))
    expect(await read(['scope'])).toEqual([idOf(5)])
    expect(await read([])).toEqual([])
  })

  test('the entry log returns nothing for a limit of zero or less', async () => {
    await say(store(), 1, 3)
    expect(await store().chat.entries.read(lobby, { limit: 0 })).toEqual([])
    expect(await store().chat.entries.read(lobby, { limit: -1 })).toEqual([])
    expect(await store().chat.entries.read(lobby, { limit: Number.POSITIVE_INFINITY })).toHaveLength(3)
  })

  test('the entry log refuses an id that is already stored, but stores the entry beside it', async () => {
    await say(store(), 1, 1)
    const [again, other] = await Promise.allSettled([
      store().chat.entries.append(message(idOf(1), den, 'again')),
      store().chat.entries.append(message(idOf(2), lobby, 'other')),
    ])
    expect(again).toMatchObject({ status: 'rejected', reason: { name: 'StorageError', reason: 'other' } })
    expect(other.status).toBe('fulfilled')
    expect(textsOf(await store().chat.entries.read(lobby, { limit: 9 }))).toEqual(['text 1', 'other'])
  })

  test('an append returns the id of the previous entry of its room', async () => {
    const { entries } = store().chat
    const appended = [lobby, den, lobby].map((where, n) => entries.append(message(idOf(n + 1), where, 'x')))
    expect(await Promise.all(appended)).toEqual([
      { id: idOf(1) },
      { id: idOf(2) },
      { id: idOf(3), after: idOf(1) },
    ])
  })

  test('an entry with a lagging clock gets a new id, so that ids ascend in each room', async () => {
    const { entries } = store().chat
    await say(store(), 7, 7)
    const numbers = [1, 2, 9]
    const late = await Promise.all(numbers.map((n) => entries.append(message(idOf(n), lobby, `text ${n}`))))
    const all = await entries.read(lobby, { limit: 9 })
    expect(textsOf(all)).toEqual(['text 7', 'text 1', 'text 2', 'text 9'])
    expect(late).toEqual(all.slice(1).map(({ id }, at) => ({ id, after: all[at]?.id })))
    expect(idsOf(all)).toEqual(idsOf(all).toSorted())
    expect(await entries.read(lobby, { limit: 9, after: idOf(7) })).toEqual(all.slice(1))
    const [second = idOf(0)] = idsOf(all).slice(1)
    await entries.append({ ...message(idOf(3), lobby, 'edited'), edits: second })
    expect(textsOf(await entries.read(lobby, { limit: 9, revised: true }))[1]).toBe('edited')
    await refused(entries.append(message(second, lobby, 'again')))
  })

  test('the entry log returns the newest id of all rooms, or none when empty', async () => {
    expect(await store().chat.entries.lastId()).toBeUndefined()
    await say(store(), 5, 6)
    await say(store(), 1, 2, 'message', den)
    expect(await store().chat.entries.lastId()).toBe(idOf(6))
  })

  test('the entry log stores a thousand concurrent entries and an entry of a megabyte', async () => {
    await Promise.all(
      Array.from({ length: 1000 }, (_, n) => store().chat.entries.append(message(idOf(n), lobby, `${n}`))),
    )
    await store().chat.entries.append(message(idOf(1000), lobby, '漢'.repeat(350_000)))
    const all = await store().chat.entries.read(lobby, { limit: 5000 })
    expect(all).toHaveLength(1001)
    expect(all.at(-1)?.text).toBe('漢'.repeat(350_000))
  })

  test("a stored entry does not change with the caller's objects", async () => {
    const scope = ['one']
    await store().chat.entries.append({ ...message(idOf(1), lobby, 'x'), kind: 'scope', scope })
    scope.push('two')
    const [read] = await store().chat.entries.read(lobby, { limit: 1 })
    expect(read).toMatchObject({ scope: ['one'] })
    Object.assign(read as object, { text: 'changed' })
    expect(textsOf(await store().chat.entries.read(lobby, { limit: 1 }))).toEqual(['x'])
  })
}
