import { expect, test } from 'vitest'
import { entryJson } from '../../../src/chat/entry-text.ts'
import type { NewEntry, EntryId, RoomName } from '../../../src/chat/entry.ts'
import type { PersonId } from '../../../src/chat/people/person.ts'
import { lineOf, Tally } from '../../../src/chat/presence/tally.ts'

const json = (draft: NewEntry) =>
  entryJson({ ...draft, id: '1' as EntryId, at: 0, room: 'lobby' as RoomName })

test('who came and who went stands in the same lists, whether it was one or many', () => {
  expect(json(lineOf({ name: 'ann-2', event: 'joined' }))).toMatchObject({
    text: 'ann-2 joined',
    event: 'joined',
    joined: ['ann-2'],
    left: [],
  })
  expect(json(lineOf({ name: 'Bob.b', event: 'left' }))).toMatchObject({
    event: 'left',
    joined: [],
    left: ['Bob.b'],
  })
  const many = new Tally()
  many.add({ name: 'ann', event: 'left' })
  many.add({ name: 'bob', event: 'joined' })
  expect(json(many.draft())).toMatchObject({ event: 'summed', joined: ['bob'], left: ['ann'] })
})

test('an entry of another kind has its own fields, and no lists of names', () => {
  expect(json({ kind: 'message', author: 'ann', text: 'bob joined' })).toEqual({
    id: '1',
    at: '1970-01-01T00:00:00.000Z',
    room: 'lobby',
    kind: 'message',
    author: 'ann',
    text: 'bob joined',
  })
})

test('an entry as JSON does not name the person behind an author', () => {
  const draft = { kind: 'message', author: 'ann', text: 'hi', by: 'person-ann' as PersonId } as const
  expect(json(draft)).not.toHaveProperty('by')
  expect(JSON.stringify(json(draft))).not.toContain('person-ann')
})
