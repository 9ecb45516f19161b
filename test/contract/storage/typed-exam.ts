import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import { alice, bob, refused, register } from './cast.ts'

/** What a store of what people typed must do; `store` gives that of the running test. */
export function typedExam(store: () => Storage): void {
  const limits = { lines: 3, characters: 20 }

  test('typed lines are returned in the order of typing, separately for each person', async () => {
    await register(store(), alice, bob)
    const { typed } = store().talk
    expect(await typed.lines(alice.id)).toEqual([])
    await typed.addLines(alice.id, ['one', 'two'], limits)
    await typed.addLines(bob.id, ['secret'], limits)
    await typed.addLines(alice.id, ['one'], limits)
    expect(await typed.lines(alice.id)).toEqual(['one', 'two', 'one'])
    expect(await typed.lines(bob.id)).toEqual(['secret'])
  })

  test('the newest typed lines are kept up to the limits of lines and characters', async () => {
    await register(store(), alice, bob)
    const { typed } = store().talk
    await typed.addLines(bob.id, ['b'], limits)
    await typed.addLines(alice.id, ['1', '2', '3', '4', '5'], limits)
    expect(await typed.lines(alice.id)).toEqual(['3', '4', '5'])
    await typed.addLines(alice.id, ['x'.repeat(19)], limits)
    expect(await typed.lines(alice.id)).toEqual(['5', 'x'.repeat(19)])
    await typed.addLines(alice.id, ['é'.repeat(20)], limits)
    expect(await typed.lines(alice.id)).toEqual(['é'.repeat(20)])
    expect(await typed.lines(bob.id)).toEqual(['b'])
  })

  test('one draft of each person is kept until it is replaced, too old or dropped', async () => {
    await register(store(), alice, bob)
    const { typed } = store().talk
    await typed.keepDraft(alice.id, { text: 'half a', at: 10 }, 0)
    await typed.keepDraft(alice.id, { text: 'half a thought', at: 20 }, 0)
    expect(await typed.draft(alice.id, 20)).toBe('half a thought')
    expect(await typed.draft(alice.id, 21)).toBeUndefined()
    expect(await typed.draft(bob.id, 0)).toBeUndefined()
    await typed.keepDraft(bob.id, { text: 'of the future', at: 9e12 }, 0)
    await typed.keepDraft(bob.id, { text: 'mine', at: 30 }, 25)
    expect(await typed.draft(bob.id, 0)).toBe('mine')
    expect(await typed.draft(alice.id, 0)).toBeUndefined()
    await typed.dropDraft(bob.id, 'of the future')
    expect(await typed.draft(bob.id, 0)).toBe('mine')
    await typed.dropDraft(bob.id, 'mine')
    expect(await typed.draft(bob.id, 0)).toBeUndefined()
  })

  test('all typed text of one person can be deleted', async () => {
    await register(store(), alice, bob)
    const { typed } = store().talk
    for (const { id } of [alice, bob]) {
      await typed.addLines(id, ['a line'], limits)
      await typed.keepDraft(id, { text: 'a draft', at: 1 }, 0)
    }
    await typed.forget(alice.id)
    expect([await typed.lines(alice.id), await typed.draft(alice.id, 0)]).toEqual([[], undefined])
    expect([await typed.lines(bob.id), await typed.draft(bob.id, 0)]).toEqual([['a line'], 'a draft'])
  })

  test('typed text of a person with history off is not stored', async () => {
    await register(store(), alice, bob)
    const { chat, talk } = store()
    await chat.preferences.put(alice.id, { option: 'history', value: 'off' })
    for (const { id } of [alice, bob]) {
      await talk.typed.addLines(id, ['a line'], limits)
      await talk.typed.keepDraft(id, { text: 'a draft', at: 1 }, 0)
    }
    expect([await talk.typed.lines(alice.id), await talk.typed.draft(alice.id, 0)]).toEqual([[], undefined])
    expect([await talk.typed.lines(bob.id), await talk.typed.draft(bob.id, 0)]).toEqual([
      ['a line'],
      'a draft',
    ])
  })

  test('typed text of an unregistered person is refused', async () => {
    const { typed } = store().talk
    await refused(typed.addLines(alice.id, ['x'], limits))
    await refused(typed.keepDraft(alice.id, { text: 'x', at: 1 }, 0))
  })
}
