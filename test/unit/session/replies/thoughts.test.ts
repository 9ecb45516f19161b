import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import type { Entry, EntryId, RoomName, TurnId } from '../../../../src/chat/entry.ts'
import { createReplies } from '../../../../src/session/drawing/streamed-reply.ts'
import { markdown } from '../../../support/markdown-tools.ts'
import { chooseTheme, type DrawingStyle } from '../../../../src/session/drawing/theme.ts'

const delta = (text: string, thinking = false) => ({
  ...{ room: 'lobby' as RoomName, turn: 't1' as TurnId, model: 'qwen', text },
  ...(thinking ? { thinking: true as const } : {}),
})

const plain: DrawingStyle = { columns: 30, theme: chooseTheme('vt100', {}) }
const coloured: DrawingStyle = { columns: 30, theme: chooseTheme('xterm-256color', {}) }

const recorded: Entry = {
  ...{ id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'qwen', text: 'They pass.' },
  ...{ kind: 'reply', turn: 't1' as TurnId, outcome: 'done' },
}

/** The replies of one room, and what a screen shows of them that nothing of was put above. */
function open() {
  const replies = createReplies({ tools: markdown.tools, wallNow: () => 0 })
  const rows = (style: DrawingStyle): readonly string[] => {
    replies.flush()
    return replies.now().flatMap((reply) => reply.live(0, style, false))
  }
  return { replies, rows }
}

/** The name has the model's tint. */
const saysTheyPass: unknown = expect.stringMatching(/^\u001B\[[\d;]+mqwen:\u001B\[0m They pass\.$/)

test('what a model thinks is one dim row with the end of it, until the model speaks', () => {
  const { replies, rows: rowsIn } = open()
  replies.add(delta('First I look at the', true))
  replies.add(delta(' files, and then at the tests', true))
  const [row, ...others] = rowsIn(plain)
  expect(others).toEqual([])
  expect(row).toMatch(/^qwen thinks: … .*tests$/)
  expect(stringWidth(row!)).toBeLessThanOrEqual(30)
  expect(rowsIn(coloured)).toEqual([coloured.theme.dim(row!)])
  replies.add(delta('They pass.'))
  expect(rowsIn(plain)).toEqual([saysTheyPass])
  replies.add(delta('\u001b[2Jagain', true))
  expect(rowsIn(plain)).toEqual([saysTheyPass, 'qwen thinks: … again'])
  replies.end('t1' as TurnId, recorded)
  expect(rowsIn(plain)).toEqual([])
})

test('a thought of any length and width keeps to its row', () => {
  for (const columns of [1, 5, 14, 80]) {
    const { replies, rows: rowsIn } = open()
    replies.add(delta('漢字 '.repeat(2000), true))
    const rows = rowsIn({ ...plain, columns })
    expect(rows).toHaveLength(1)
    expect(stringWidth(rows[0]!)).toBeLessThanOrEqual(Math.max(2, columns))
  }
})
