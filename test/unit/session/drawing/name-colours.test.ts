import { expect, test } from 'vitest'
import type { RoomName } from '../../../../src/chat/entry.ts'
import { NAME_COLOURS, type NameColour } from '../../../../src/chat/personal/preferences.ts'
import { createNameColours, usualColour } from '../../../../src/session/drawing/theme.ts'

const [lobby, den] = ['lobby' as RoomName, 'den' as RoomName]
/** All of one colour, by their names alone. */
const alike = Array.from({ length: 500 }, (_, number) => `u${number}`)
  .filter((name) => usualColour(name) === 'green')
  .slice(0, 8)

test('people of one room differ as long as there are colours, and keep theirs', () => {
  const colourOf = createNameColours(() => undefined)
  const of = (author: string, room = lobby) => colourOf({ room, author, kind: 'message' })
  expect(colourOf({ room: lobby, author: alike[0] ?? '', kind: 'reply' })).toBeUndefined()
  const first = alike.map((author) => of(author))
  expect(new Set(first.slice(0, NAME_COLOURS.length)).size).toBe(NAME_COLOURS.length)
  expect(first.slice(NAME_COLOURS.length)).toEqual(['green', 'green'])
  expect(alike.toReversed().map((author) => of(author))).toEqual(first.toReversed())
  expect(of(alike[3] ?? '', den)).toBe('green')
})

test('the colour that somebody chose is theirs, from then on, and others come after it', () => {
  const chosen = new Map<string, NameColour>([['ann', 'green']])
  const colourOf = createNameColours((name) => chosen.get(name))
  expect(colourOf({ room: lobby, author: 'ann', kind: 'action' })).toBe('green')
  expect(colourOf({ room: lobby, author: alike[0] ?? '', kind: 'message' })).not.toBe('green')
  chosen.set('ann', 'pink')
  expect(colourOf({ room: lobby, author: 'ann', kind: 'action' })).toBe('pink')
})
