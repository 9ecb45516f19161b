import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { statusLine } from '../../../../src/session/drawing/status-line.ts'
import { status } from '../../../support/session-host.ts'

test('the status line says where, who, with which tools, how full, and what runs', () => {
  expect(statusLine({ ...status, running: ['@qwen thinking 3.2s', 'Grep'] }, 200)).toBe(
    'lobby · 2 here · @guide · tools all (12) · ▰▰▰▱▱▱▱▱ 2.1k/8k · @qwen thinking 3.2s · Grep · ^X to stop',
  )
})

test('it is cut to the width, whatever is in it', () => {
  for (let columns = 1; columns < 60; columns++) {
    const line = statusLine({ ...status, room: '日本語\n\u001b[2J' }, columns)
    expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    expect(line).not.toMatch(/\p{Cc}/u)
  }
})

test('a budget that is overdrawn or empty is drawn full or not at all', () => {
  expect(statusLine({ ...status, lastTurn: { used: 9000, target: 8000 } }, 200)).toContain('▰▰▰▰▰▰▰▰ 9k/8k')
  expect(statusLine({ ...status, lastTurn: { used: 0, target: 0 } }, 200)).toContain('▱▱▱▱▱▱▱▱ 0/0')
})
