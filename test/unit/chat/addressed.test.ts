import { expect, test } from 'vitest'
import { createAddressed } from '../../../src/chat/mentions.ts'
import type { Entry, EntryId, RoomName } from '../../../src/chat/entry.ts'

const said = (text: string, more: Partial<Entry> = {}): Entry =>
  ({
    ...{ id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'ann', kind: 'message', text },
    ...more,
  }) as Entry

test.each([
  ['hey @bob, look', true],
  ['hey @BOB.', true],
  ['bob: look', true],
  ['Bob, look', true],
  ['bob:', true],
  ['bob: see @cy', true],
  ['@bobby', false],
  ['bobby: look', false],
  ['tell bob: look', false],
  ['http://bob:80/', false],
  ['bob:look', false],
  ['mail@bob', false],
  ['', false],
])('%j is said to bob: %s', (text, is) => {
  const addressed = createAddressed()
  const entry = said(text)
  expect(addressed(entry, { name: 'bob' })).toBe(is)
  expect(addressed(entry, { name: 'zoe' })).toBe(false)
})

test('nobody is addressed by themselves, by what the room says, or in a side turn', () => {
  const addressed = createAddressed()
  expect(addressed(said('@bob', { author: 'bob' }), { name: 'bob' })).toBe(false)
  expect(addressed(said('@bob', { kind: 'notice' }), { name: 'bob' })).toBe(false)
  expect(addressed(said('@bob', { thread: 't1' as never }), { name: 'bob' })).toBe(false)
  expect(addressed(said('@bob', { kind: 'reply' }), { name: 'bob' })).toBe(true)
})
