import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import type { RoomName, TurnId } from '../../../../src/chat/entry.ts'
import { createReplies } from '../../../../src/session/drawing/footer.ts'
import { chooseTheme, type DrawingStyle } from '../../../../src/session/drawing/theme.ts'

const delta = (text: string, thinking = false) => ({
  ...{ room: 'lobby' as RoomName, turn: 't1' as TurnId, model: 'qwen', text },
  ...(thinking ? { thinking: true as const } : {}),
})

const plain: DrawingStyle = { columns: 30, theme: chooseTheme('vt100', {}) }
const coloured: DrawingStyle = { columns: 30, theme: chooseTheme('xterm-256color', {}) }

test('what a model thinks is one dim row with the end of it, until the model speaks', () => {
  const replies = createReplies()
  replies.add(delta('First I look at the', true))
  replies.add(delta(' files, and then at the tests', true))
  const [row, ...others] = replies.rows(plain)
  expect(others).toEqual([])
  expect(row).toMatch(/^qwen thinks: … .*tests$/)
  expect(stringWidth(row!)).toBeLessThanOrEqual(30)
  expect(replies.rows(coloured)).toEqual([`\u001b[2m${row}\u001b[0m`])
  replies.add(delta('They pass.'))
  expect(replies.rows(plain)).toEqual(['qwen: They pass.'])
  replies.add(delta('\u001b[2Jagain', true))
  expect(replies.rows(plain)).toEqual(['qwen: They pass.', 'qwen thinks: … again'])
  replies.end('t1' as TurnId)
  expect(replies.rows(plain)).toEqual([])
})

test('a thought of any length and width keeps to its row', () => {
  for (const columns of [1, 5, 14, 80]) {
    const replies = createReplies()
    replies.add(delta('漢字 '.repeat(2000), true))
    const rows = replies.rows({ ...plain, columns })
    expect(rows).toHaveLength(1)
    expect(stringWidth(rows[0]!)).toBeLessThanOrEqual(Math.max(2, columns))
  }
})
