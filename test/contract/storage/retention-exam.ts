import { encodeTime } from 'ulid'
import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { EntryId, RoomName, TurnId } from '../../../src/words/entry.ts'
import type { Person } from '../../../src/words/person.ts'
import type { TurnRecord } from '../../../src/turns/ports.ts'
import { saidBy } from '../../../src/chat/talk/own-lines.ts'
import { message, room } from '../../support/storage.ts'
import { alice, bob, den, idsOf, lobby, register } from './cast.ts'

const DAY = 86_400_000
const PROMPT = { encoding: 'o200k_base', system: 'what bob said' } as TurnRecord['prompt']

/** An id of a day. */
const idAt = (day: number, n = 0): EntryId =>
  `${encodeTime(day * DAY, 10)}${String(n).padStart(16, '0')}` as EntryId

/** How long lines are kept, and what must be removed for good; `store` gives that of the running test. */
export function retentionExam(store: () => Storage): void {
  const add = (id: EntryId, more: object = {}, where: RoomName = den) =>
    store().chat.entries.append({ ...message(id, where, 'hello'), ...more })
  const stored = async (where: RoomName = den) =>
    idsOf(await store().chat.entries.read(where, { limit: 1000 }))
  const turn = async (id: string, startedAt: number, where: RoomName = den) => {
    const record = { id: id as TurnId, room: where, model: 'qwen', requester: 'bob', startedAt }
    await store().models.turns.begin(record)
    await store().models.turns.addStep(id, { messages: [] })
    await store().models.turns.finish(id, { endedAt: startedAt + 1, outcome: 'done', prompt: PROMPT })
  }
  const summary = (at: number, first: EntryId, last: EntryId) =>
    store().prompts.summaries.put({ room: den, text: `at ${at}`, first, last, author: 'qwen', at })
  const result = (at: number) =>
    store().tools.results.put(
      { room: den, tool: 'Grep', pageSize: 10, at, text: 'x' },
      { since: 0, roomBytes: 1000, allBytes: 1000 },
    )

  test('the keep_turns days of a room are stored until they are removed', async () => {
    const { retention, rooms } = store().chat
    for (const name of ['den', 'lobby']) await rooms.create(room(name, {}))
    await retention.setDays(den, 90)
    expect(await retention.days()).toEqual(new Map([[den, 90]]))
    await retention.setDays(den, null)
    expect(await retention.days()).toEqual(new Map())
  })

  test('entries before a time are counted and removed oldest first in one room', async () => {
    const { retention } = store().chat
    for (const day of [1, 2, 3, 4, 5]) await add(idAt(day))
    await add(idAt(1, 1), {}, lobby)
    await add(idAt(6), { text: 'better', edits: idAt(2) })
    await store().prompts.history.saveCounts('o200k_base', new Map([[idAt(1), 1]]))
    expect(await retention.countBefore(den, 4 * DAY)).toBe(3)
    expect(await retention.removeBefore(den, 4 * DAY, 2)).toBe(2)
    expect(await stored()).toEqual([3, 4, 5, 6].map((day) => idAt(day)))
    expect(await retention.removeBefore(den, 4 * DAY, 2)).toBe(1)
    expect(await retention.removeBefore(den, 4 * DAY, 2)).toBe(0)
    expect(await retention.countBefore(den, 4 * DAY)).toBe(0)
    expect(await stored(lobby)).toEqual([idAt(1, 1)])
  })

  test('turns, long results and summaries before a time are removed after the entries', async () => {
    const { retention, rooms } = store().chat
    await rooms.create(room('den', {}))
    await turn('T1', DAY)
    await turn('T5', 5 * DAY)
    for (const day of [1, 5]) await result(day * DAY)
    for (const day of [1, 5]) await summary(day * DAY, idAt(1), idAt(day))
    expect(await retention.removeBefore(den, 4 * DAY, 10)).toBe(3)
    expect(await retention.removeBefore(den, 4 * DAY, 10)).toBe(0)
    expect(await store().models.turns.find('T1')).toBeUndefined()
    expect(await store().models.turns.find('T5')).toMatchObject({ prompt: PROMPT, steps: [{ messages: [] }] })
    expect(await store().tools.results.find(den, 1)).toBeUndefined()
    expect(await store().tools.results.find(den, 2)).toBeDefined()
    expect(await store().prompts.summaries.versions(den)).toMatchObject([{ text: `at ${5 * DAY}` }])
  })

  test('requests of old turns are removed, but the turns stay', async () => {
    const { retention } = store().chat
    const { turns } = store().models
    for (const day of [1, 2, 5]) await turn(idAt(day), day * DAY)
    while (await retention.removeRequests(4 * DAY, 30));
    expect(await turns.find(idAt(1))).toEqual({
      ...{ id: idAt(1), room: den, model: 'qwen', requester: 'bob', requestDays: 30 },
      ...{ startedAt: DAY, endedAt: DAY + 1, outcome: 'done' },
    })
    expect(await turns.find(idAt(5))).toMatchObject({ prompt: PROMPT, steps: [{ messages: [] }] })
    expect((await turns.find(idAt(5)))?.requestDays).toBeUndefined()
    while (await retention.removeRequests(6 * DAY, 30));
    expect((await turns.find(idAt(5)))?.prompt).toBeUndefined()
  })

  test('a deleted room removes the requests of its turns but not equal ones of another room', async () => {
    await turn('T1', DAY)
    await turn('T2', DAY, lobby)
    while (await store().chat.removal.removeSome(den, 10));
    expect(await store().models.turns.find('T1')).toBeUndefined()
    expect(await store().models.turns.find('T2')).toMatchObject({ prompt: PROMPT, steps: [{ messages: [] }] })
  })

  test('lines of a person are found by id or old name, with reactions to them', async () => {
    const { retention } = store().chat
    const bobs = { author: 'bob', by: bob.id }
    await add(idAt(1), { author: bob.name })
    await add(idAt(2), { author: 'robert', by: bob.id })
    await add(idAt(3), { kind: 'action', author: 'alice', by: alice.id, reacts: idAt(2), to: 'robert' })
    await add(idAt(4), { author: 'alice', by: alice.id, text: '{"by":"p-bob"}' })
    await add(idAt(5), { author: bob.name, by: alice.id })
    await add(idAt(6), { kind: 'notice', level: 'info', ...bobs, act: { verb: 'ban', who: 'alice' } })
    await add(
      idAt(7),
      { kind: 'tool_call', ...bobs, call: 'c', name: 'x', arguments: {}, requester: 'bob' },
      lobby,
    )
    const ids = [...saidBy(await retention.mayBeOf(bob), bob)].toSorted()
    expect(ids).toEqual([1, 2, 3, 7].map((day) => idAt(day)))
    await retention.removeLines(ids)
    expect(await stored()).toEqual([4, 5, 6].map((day) => idAt(day)))
    expect(saidBy(await retention.mayBeOf(bob), bob)).toEqual(new Set())
  })

  test('lines of a guest are found by name, without those of a person with that name', async () => {
    await add(idAt(1), { author: 'gus', by: 'guest:SHA256:k:gus' })
    await add(idAt(2), { author: 'gus', by: bob.id })
    await add(idAt(3), { author: 'ann', by: 'guest:SHA256:k:ann' })
    const gus = { name: 'gus' }
    const found = await store().chat.retention.mayBeOf(gus)
    expect(saidBy(found, gus)).toEqual(new Set([idAt(1)]))
  })

  test('copies of lines are removed from turns, results and summaries since a time', async () => {
    const { retention, rooms } = store().chat
    await rooms.create(room('den', {}))
    await turn('T1', DAY)
    await turn('T3', 3 * DAY)
    for (const day of [1, 3]) await result(day * DAY)
    for (const day of [1, 3]) await summary(day * DAY, idAt(1), idAt(1))
    while (await retention.removeCopies(den, 2 * DAY));
    expect(await store().models.turns.find('T1')).toMatchObject({ prompt: PROMPT })
    const { prompt, steps, outcome } = (await store().models.turns.find('T3'))!
    expect({ prompt, steps, outcome }).toEqual({ prompt: undefined, steps: undefined, outcome: 'done' })
    expect(await store().tools.results.find(den, 1)).toBeDefined()
    expect(await store().tools.results.find(den, 2)).toBeUndefined()
    expect(await store().prompts.summaries.current(den)).toMatchObject({ text: `at ${DAY}` })
  })

  test('removing the messages of a person removes their typed lines, draft, absence, words that ring, instructions, personas and memories only', async () => {
    const { chat, talk, prompts } = store()
    await chat.rooms.create(room('den', {}))
    const limits = { lines: 9, characters: 99 }
    for (const one of [alice, bob]) {
      await register(store(), one)
      await talk.typed.addLines(one.id, ['a secret'], limits)
      await talk.typed.keepDraft(one.id, { text: 'half a secret', at: 10 }, 0)
      await talk.away.leave({ person: one.id, text: 'in secret' }, 10)
      const instruction = { room: den, text: `of ${one.name}`, author: one.name, at: 10 }
      await prompts.instructions.put({ ...instruction, model: one.id })
      await prompts.personas.put({ ...instruction, name: `as-${one.name}`, model: 'qwen', tools: null }, 9)
      const memory = { text: `of ${one.name}`, author: one.name, person: one.id, at: 10 }
      for (const of of [{ room: den }, { person: one.id }]) await prompts.memories.add(of, memory, 9)
    }
    await chat.preferences.put(bob.id, { option: 'words', value: 'a secret' })
    expect((await chat.retention.countOthers(bob.id)).texts).toBe(6)
    await chat.retention.removeMessages(bob)
    expect((await chat.retention.countOthers(bob.id)).texts).toBe(0)
    expect((await chat.retention.countOthers(alice.id)).texts).toBe(5)
    expect(await talk.away.away()).toEqual([{ person: alice.id, text: 'in secret' }])
    const instructions = await prompts.instructions.versions(den)
    expect(instructions.map(({ author, text }) => [author, text])).toEqual([
      [alice.name, 'of alice'],
      [bob.name, ''],
    ])
    expect((await prompts.personas.current(den)).map(({ text }) => text)).toEqual(['of alice'])
    const { memories } = prompts
    expect((await memories.versions({ room: den })).map(({ text }) => text)).toEqual(['of alice', ''])
    expect(await memories.versions({ person: bob.id })).toEqual([])
    expect(await memories.current({ person: alice.id })).toMatchObject([{ text: 'of alice' }])
    const typedBy = async ({ id }: Person) => [await talk.typed.lines(id), await talk.typed.draft(id, 0)]
    expect(await typedBy(bob)).toEqual([[], undefined])
    expect(await typedBy(alice)).toEqual([['a secret'], 'half a secret'])
  })

  test('a removed line is not found after the search index is renewed', async () => {
    await add(idAt(1), { text: 'secret plan' })
    await add(idAt(2), { text: 'open plan' })
    const plans = async () => {
      const terms = [{ text: 'plan', whole: true }]
      return idsOf((await store().chat.entries.search({ rooms: [den], terms, limit: 9 })).entries)
    }
    expect(await plans()).toEqual([idAt(1), idAt(2)])
    await store().chat.retention.removeLines([idAt(1)])
    expect(await plans()).toEqual([idAt(2)])
    await store().upkeep.renewSearch()
    expect(await plans()).toEqual([idAt(2)])
  })
}
