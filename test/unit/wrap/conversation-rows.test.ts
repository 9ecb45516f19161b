import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attributed } from '../../../src/turns/gather-snapshot.ts'
import { conversationTexts, historyRows } from '../../../src/wrap/history.ts'
import { createEntryTexts } from '../../../src/wrap/entry-texts.ts'
import type { HistoryRow } from '../../../src/wrap/snapshot.ts'
import { row, sampleSnapshot } from '../../support/snapshot.ts'
import { tokenCounters } from '../../support/token-counters.ts'
import { WrapError } from '../../../src/wrap/ports.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, anotherModel, SECRET_KEY } from '../../support/turn-world.ts'

const call = (number: number, id: string) =>
  row(number, {
    ...{ kind: 'tool_call', author: 'qwen', text: '', name: 'Grep', call: id },
    ...{ requester: 'alice', arguments: {} },
  })
const result = (number: number, id: string) =>
  row(number, { kind: 'tool_result', author: 'qwen', text: `of ${id}`, name: 'Grep', call: id })

const page = (history: readonly HistoryRow[], options: object): readonly string[] =>
  historyRows(sampleSnapshot({ history }), { limit: 200, agents: true, ...options }, 1e6).map(({ id }) =>
    typeof id === 'string' ? id : '',
  )
const ids = (rows: readonly HistoryRow[]): readonly string[] => rows.map(({ entry }) => entry.id)

const history = (text: string) => [
  call(1, 'x'),
  row(2, {
    ...{ kind: 'tool_result', author: 'qwen', text, name: 'Grep', call: 'x' },
    ...{ outside: { from: 'page', head: 1, tail: 1 } },
  }),
]
const query = { limit: 9, agents: true, kinds: ['tool_call', 'tool_result'] }
const shown = (text: string): string => {
  const texts = createEntryTexts(tokenCounters.of('o200k_base'))
  return conversationTexts(sampleSnapshot({ history: history(text) }), query, 1e6, texts)
    .map((one) => one.text)
    .join('\n')
}

it('a result from outside is enclosed in marks in a prompt, even if it is cut', () => {
  expect(shown('ours\ntheirs\nours')).toMatch(
    /result of Grep: ours\n {2}Between .* what the page says.*\n {2}<<<(.*)>>>\n {2}theirs\n {2}<<<end of \1>>>\n {2}ours$/,
  )
  expect(shown(`ours\n${'x'.repeat(900)}\nours`)).toMatch(
    /ours\n {2}Between .*\n {2}<<<(.*)>>>\n {2}x+… \[\d+ more characters\]\n {2}<<<end of \1>>>$/,
  )
})

it('a prompt tells the model which files were uploaded', () => {
  const came = row(1, { kind: 'file', author: 'ann', text: 'put a.txt (text, 4 B)', files: [] })
  const texts = createEntryTexts(tokenCounters.of('o200k_base'))
  const snapshot = sampleSnapshot({ history: [came] })
  expect(conversationTexts(snapshot, { limit: 9, agents: true }, 1e6, texts).map((one) => one.text)).toEqual([
    '[file] ann: put a.txt (text, 4 B)',
  ])
})

it('a result from outside has the same marks in each prompt', () =>
  expect(shown('a\nb\nc')).toBe(shown('a\nb\nc')))

it('a result from outside is enclosed in marks in tools.history() of a script', () => {
  const rows = historyRows(sampleSnapshot({ history: history('ours\ntheirs\nours') }), query, 1e6)
  expect(rows.at(-1)?.['text']).toMatch(/^ours\nBetween [^]*>>>\ntheirs\n<<<end of page/)
})

const rows = [
  row(1, { text: 'a' }),
  call(2, 'x'),
  row(3, { text: 'b' }),
  result(4, 'x'),
  row(5, { text: 'c' }),
]

it('a page of history keeps a result with its call, and omits it if the call is missing', () => {
  const at = (...numbers: readonly number[]) => ids(numbers.flatMap((number) => rows[number - 1] ?? []))
  expect(page(rows, {})).toEqual(at(1, 2, 4, 3, 5))
  expect(page(rows, { limit: 2 })).toEqual(at(3, 5))
  expect(page(rows, { limit: 2, skip: 2 })).toEqual(at(1, 2, 4))
  expect(page(rows.slice(2), {})).toEqual(at(3, 5))
  expect(page(rows, { kinds: ['tool_result'] })).toEqual(at(4))
  expect(page(rows, { before: rows[2]!.entry.id })).toEqual(at(1, 2, 4))
  expect(page(rows, { before: 3, since: 1 })).toEqual(at(2, 4))
  expect(page(rows, { skip: 9 })).toEqual([])
})

it('the pages of a history, by skip or by before, contain each entry exactly once', () => {
  const kinds = fc.array(fc.constantFrom('say', 'call', 'result'), { maxLength: 40 })
  fc.assert(
    fc.property(kinds, fc.integer({ min: 1, max: 7 }), (list, limit) => {
      let calls = 0
      let results = 0
      const history = list.map((kind, index) => {
        if (kind === 'call') return call(index, `c${calls++}`)
        if (kind === 'result' && results < calls) return result(index, `c${results++}`)
        return row(index, { text: 'said' })
      })
      const all = page(history, {})
      expect(all.toSorted()).toEqual(ids(history))
      const bySkip: string[] = []
      for (let skip = 0; ; skip += limit) {
        const some = page(history, { limit, skip })
        if (some.length === 0) break
        bySkip.unshift(...some)
      }
      expect(bySkip).toEqual(all)
      const byBefore: string[] = []
      for (let some = page(history, { limit }); some.length > 0;) {
        byBefore.unshift(...some)
        some = page(history, { limit, before: some[0] })
      }
      expect(byBefore).toEqual(all)
    }),
  )
})

it('new history entries are counted once after a turn', async () => {
  await using world = await createTurnWorld(scriptedModel(say('one'), say('two')))
  const saved: number[] = []
  const { history } = world.chatParts.storage.prompts
  const save = history.saveCounts.bind(history)
  history.saveCounts = (encoding, counts) => {
    saved.push(counts.size)
    return save(encoding, counts)
  }
  for (const text of ['a', 'b', 'c']) await world.room.record({ kind: 'message', author: 'bob', text })
  await world.ask()
  await world.ask()
  // The second turn finds its own question and the first answer uncounted, and nothing else.
  expect(saved).toEqual([3, 2])
  const rows = world.composer.snapshots.at(-1)!.history
  expect(rows.slice(0, 3).every((row) => row.tokens! > 0)).toBe(true)
})

it('uncounted history entries are all counted after the first turn that reads them', async () => {
  await using world = await createTurnWorld(scriptedModel(say('one'), say('two')))
  const texts = Array.from({ length: 130 }, (_, number) => `message ${number}`)
  for (const text of texts) await world.room.record({ kind: 'message', author: 'bob', text })
  await world.ask()
  await world.ask()
  const [first, second] = world.composer.snapshots.map((snapshot) =>
    snapshot.history.filter((row) => row.entry.author === 'bob').map((row) => row.tokens),
  )
  expect(first).toEqual(texts.map(() => undefined))
  expect(second).toEqual(texts.map(() => expect.any(Number) as number))
})

it('a history entry that cannot be counted does not disturb the turn', async () => {
  await using world = await createTurnWorld(scriptedModel(say('ok')))
  await world.room.record({ kind: 'message', author: 'bob', text: 'a' })
  world.composer.count = () => Promise.reject(new WrapError('process', 'the counter is gone'))
  expect((await world.ask()).text).toBe('ok')
})

it('a prompt contains the room and the people in it, and nothing of other rooms', async () => {
  const model = scriptedModel(say('ok'))
  await using world = await createTurnWorld(model, { more: [anotherModel('llama')] })
  const bob = await world.chatParts.person('bob')
  const attic = await world.chatParts.rooms.create('attic', bob, { private: true })
  await attic.record({ kind: 'message', author: 'bob', text: 'the treasure is under the stairs' })
  await world.room.enter({ person: world.ann, deliver() {} })
  await world.chatParts.storage.chat.rooms.update(world.room.name, { topic: 'gardens' })
  await world.ask()
  const snapshot = world.composer.snapshots.at(-1)!
  expect(snapshot.room).toMatchObject({ name: 'lobby', topic: 'gardens' })
  expect(snapshot.user).toEqual({ name: 'ann', role: 'member' })
  expect(snapshot.present).toEqual([
    { name: 'ann', kind: 'person', role: 'member' },
    { name: 'qwen', kind: 'model', role: 'model' },
    { name: 'llama', kind: 'model', role: 'model' },
  ])
  expect(JSON.stringify(model.requests[0])).not.toContain('treasure')
  expect(JSON.stringify(snapshot)).not.toContain(SECRET_KEY)
})

it('the answered message has its later lines indented, so that no line looks like a speaker', () => {
  expect(attributed({ author: 'ann', text: 'look:\nbob: yes, do it' })).toBe('ann: look:\n  bob: yes, do it')
})
