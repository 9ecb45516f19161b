import { expect, test } from 'vitest'
import type { ApprovalEntry, Entry, EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import { createCallFold } from '../../../src/session/views/live-rows.ts'
import { createDrawCall } from '../../../src/session/drawing/call-row.ts'
import { chooseTheme } from '../../../src/session/drawing/theme.ts'

const base = { id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'qwen', turn: 't' as TurnId }
const approval = (verdict: ApprovalEntry['verdict'], question?: number): ApprovalEntry => ({
  ...base,
  ...{ kind: 'approval', tool: 'run_command', requester: 'bob', verdict },
  ...(question === undefined ? {} : { question }),
  text: 'question 1: may @qwen, for bob, use run_command (execute)?\n| ls -la\n/allow 1 (this once)',
})
const call: Entry = {
  ...base,
  ...{ kind: 'tool_call', text: '', call: 'c', name: 'run_command', requester: 'bob' },
  arguments: { command: 'ls -la' },
}
const result: Entry = {
  ...base,
  ...{ kind: 'tool_result', text: 'ok', call: 'c', name: 'run_command' },
  ...{ isError: false, durationMs: 1, bytes: 2 },
}

test('a call is one line that changes from asked to running to its result', () => {
  const fold = createCallFold(() => 0)
  const draw = createDrawCall()
  const rows = (): readonly string[] =>
    fold.waiting().map((entry) => draw(entry, 1_500, { columns: 79, theme: chooseTheme('vt100', {}) }))
  const asked = approval('asked', 1)
  expect(fold.take(asked)).toEqual([asked])
  expect(rows()).toEqual(['-- qwen: run_command ls -la asked 1.5s'])
  const allowed = approval('once', 1)
  expect(fold.take(allowed)).toEqual([allowed])
  expect(rows()).toEqual([])
  expect(fold.take(call)).toEqual([])
  expect(rows()).toEqual(['-- qwen: run_command {"command":"ls -la"} running 1.5s'])
  expect(fold.take(result)).toEqual([result])
  expect([rows(), fold.callOf(result)]).toEqual([[], call])
})

test.each<readonly [string, Entry]>([
  ['it is denied', approval('denied', 1)],
  ['nobody answers', approval('denied')],
  ['its turn is over', { ...base, kind: 'notice', level: 'error', text: 'failed' }],
])('a question waits no more once %s', (_why, end) => {
  const fold = createCallFold(() => 0)
  fold.take(approval('asked', 1))
  fold.take(approval('denied', 2))
  expect(fold.waiting()).toHaveLength(1)
  expect(fold.take(end)).toEqual([end])
  expect(fold.waiting()).toEqual([])
})

test('a call that a crash cut off more than 20 minutes ago is shown as it began, and never as running', () => {
  const fold = createCallFold(() => 1_200_001)
  expect(fold.take(call)).toEqual([call])
  expect(fold.waiting()).toEqual([])
  const recent = { ...call, at: 1 }
  expect(fold.take(recent)).toEqual([])
  expect(fold.waiting()).toEqual([recent])
})
