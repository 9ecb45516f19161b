import { expect, test } from 'vitest'
import { parsedNote } from '../../../src/cluster/note.ts'

const entry = { id: 'a', kind: 'message', author: 'ann', text: 'hello', room: 'lobby', at: 0 }
const note = (hint: object): string => JSON.stringify({ server: 's', hint })

test('a hint has its entry, or the id alone', () => {
  expect(parsedNote(note({ id: 'a', entry }))).toMatchObject({ hint: { id: 'a', entry } })
  expect(parsedNote(note({ id: 'a' }))).toMatchObject({ hint: { id: 'a' } })
})

test.each([
  note({ id: 'b', entry }),
  note({ id: 'a', entry: { ...entry, kind: 'of the next version' } }),
  note({ id: 'a', entry: { ...entry, kind: 'toString' } }),
  note({ id: 'a', entry: { ...entry, text: 1 } }),
  note({ id: 1 }),
  '{}',
  'null',
  'not JSON',
])('%s is no note of this version', (text) => {
  expect(parsedNote(text)).toBeUndefined()
})
