import { expect, test } from 'vitest'
import type { Entry, EntryId, RoomName } from '../../../../src/chat/entry.ts'
import { createDrawEntry, drawnText } from '../../../../src/session/drawing/entry-rows.ts'
import { chooseTheme } from '../../../../src/session/drawing/theme.ts'
import { markdown } from '../../../support/markdown-tools.ts'

const colour = chooseTheme('xterm', {})
const entry: Entry = {
  id: '1' as EntryId,
  at: 0,
  room: 'lobby' as RoomName,
  author: 'bob',
  kind: 'message',
  text: 'hello there',
}

test('an entry is drawn once for each width and theme', () => {
  const draw = createDrawEntry(markdown.tools, () => 'green')
  const first = draw(entry, { columns: 80, theme: colour })
  expect(draw(entry, { columns: 80, theme: chooseTheme('xterm-256color', {}) })).toBe(first)
  expect(draw(entry, { columns: 10, theme: colour })).toMatchObject({ rows: 2 })
  expect(draw(entry, { columns: 80, theme: chooseTheme('vt100', {}) }).text).toBe(
    '\u001b[1mbob:\u001b[0m hello there',
  )
})

test('rows are sure only where no terminal could break them', () => {
  const isSure = (text: string) => drawnText(text, 10).isSure
  expect(isSure('0123456789')).toBe(true)
  expect(isSure('\u001b[1;31m0123456789\u001b[0m')).toBe(true)
  expect(isSure('ok\nпривет')).toBe(false)
  expect(isSure('при 1234')).toBe(false)
  expect(isSure('日本 1234')).toBe(true)
  expect(drawnText('a\n\nb', 10)).toEqual({ text: 'a\r\n\r\nb', rows: 3, isSure: true })
})
