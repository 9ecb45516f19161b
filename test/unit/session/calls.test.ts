import { expect, test } from 'vitest'
import type { ApprovalEntry, Entry, EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import { PendingCalls } from '../../../src/session/views/pending-calls.ts'
import { drawCall } from '../../../src/session/drawing/call-row.ts'
import { chooseTheme } from '../../../src/session/drawing/theme.ts'

const base = { id: '1' as EntryId, at: 0, room: 'lobby' as RoomName, author: 'qwen', turn: 't' as TurnId }
const approval = (verdict: ApprovalEntry['verdict'], question?: number): ApprovalEntry => ({
  ...base,
  ...{ kind: 'approval', tool: 'run_command', requester: 'bob', verdict },
  ...(question === undefined ? {} : { question }),
  text: 'question 1: may @qwen, for bob, use run_command (execute)?\n| ls -la\n/allow 1 – this once',
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
  const calls = new PendingCalls(() => 0)
  const rows = (): readonly string[] =>
    calls.all().map((entry) => drawCall(entry, 1_500, { columns: 79, theme: chooseTheme('vt100', {}) }))
  const asked = approval('asked', 1)
  expect(calls.take(asked)).toEqual([asked])
  expect(rows()).toEqual(['-- qwen: run_command ls -la: not allowed yet, 1.5s'])
  const allowed = approval('once', 1)
  expect(calls.take(allowed)).toEqual([allowed])
  expect(rows()).toEqual([])
  expect(calls.take(call)).toEqual([])
  expect(rows()).toEqual(['-- qwen: run_command {"command":"ls -la"} running 1.5s'])
  expect(calls.take(result)).toEqual([result])
  expect([rows(), calls.callOf(result)]).toEqual([[], call])
})

test.each<readonly [string, Entry]>([
  ['it is denied', approval('denied', 1)],
  ['nobody answers', approval('denied')],
  ['its turn is over', { ...base, kind: 'notice', level: 'error', text: 'failed' }],
])('a question waits no more once %s', (_why, end) => {
  const calls = new PendingCalls(() => 0)
  calls.take(approval('asked', 1))
  calls.take(approval('denied', 2))
  expect(calls.all()).toHaveLength(1)
  expect(calls.take(end)).toEqual([end])
  expect(calls.all()).toEqual([])
})

test('a call that a crash cut off more than 20 minutes ago is shown as it began, and never as running', () => {
  const calls = new PendingCalls(() => 1_200_001)
  expect(calls.take(call)).toEqual([call])
  expect(calls.all()).toEqual([])
  const recent = { ...call, at: 1 }
  expect(calls.take(recent)).toEqual([])
  expect(calls.all()).toEqual([recent])
})
