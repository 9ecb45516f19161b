import { expect, test, describe } from 'vitest'
import stringWidth from 'string-width'
import type {
  ApprovalEntry,
  Entry,
  EntryId,
  RoomName,
  TurnId,
  ToolCallEntry,
  ToolResultEntry,
} from '../../../src/words/entry.ts'
import { PendingCalls } from '../../../src/terminal/views/pending-calls.ts'
import { drawCall, resultRows } from '../../../src/terminal/drawing/call-row.ts'
import { chooseTheme } from '../../../src/terminal/drawing/theme.ts'
import type { ToolProgress } from '../../../src/words/tool-progress.ts'

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

test('a pending call is one row that changes from asked to running until its result', () => {
  const calls = new PendingCalls(() => 0)
  const rows = (): readonly string[] =>
    calls.all().map((entry) => drawCall(entry, 1_500, { columns: 79, theme: chooseTheme('vt100', {}) }))
  const asked = approval('asked', 1)
  expect(calls.take(asked)).toEqual([asked])
  expect(rows()).toEqual(['-- question 1: run_command ls -la: not allowed yet, 1.5s'])
  const allowed = approval('once', 1)
  expect(calls.take(allowed)).toEqual([allowed])
  expect(rows()).toEqual([])
  expect(calls.take(call)).toEqual([])
  expect(rows()).toEqual(['-- qwen: run_command {"command":"ls -la"} running 1.5s'])
  expect(calls.take(result)).toEqual([result])
  expect([rows(), calls.callOf(result)]).toEqual([[], call])
})

test('calls and questions of a room that the person has left are no longer pending', () => {
  const calls = new PendingCalls(() => 0)
  calls.take(approval('asked', 1))
  calls.take({ ...call, room: 'den' as RoomName })
  calls.keepOnly('den' as RoomName)
  expect(calls.all().map(({ room }) => room)).toEqual(['den'])
})

test.each<readonly [string, Entry]>([
  ['the question is denied', approval('denied', 1)],
  ['nobody answers', approval('denied')],
  ['the turn is over', { ...base, kind: 'notice', level: 'error', text: 'failed' }],
])('a permission question is no longer pending when %s', (_why, end) => {
  const calls = new PendingCalls(() => 0)
  calls.take(approval('asked', 1))
  calls.take(approval('denied', 2))
  expect(calls.all()).toHaveLength(1)
  expect(calls.take(end)).toEqual([end])
  expect(calls.all()).toEqual([])
})

test('a call without a result for over 20 minutes is shown as begun, not as running', () => {
  const calls = new PendingCalls(() => 1_200_001)
  expect(calls.take(call)).toEqual([call])
  expect(calls.all()).toEqual([])
  const recent = { ...call, at: 1 }
  expect(calls.take(recent)).toEqual([])
  expect(calls.all()).toEqual([recent])
})

describe('the row of a call', () => {
  const base = {
    id: '1' as EntryId,
    at: 0,
    room: 'lobby' as RoomName,
    author: 'qwen',
    turn: 't' as TurnId,
    call: 'c',
  }
  const call = (name: string): ToolCallEntry => ({
    ...base,
    kind: 'tool_call',
    text: '',
    name,
    arguments: { command: 'rm -rf build' },
    requester: 'bob',
  })
  const result = (name: string, text: string): ToolResultEntry => ({
    ...base,
    kind: 'tool_result',
    text,
    name,
    isError: text.startsWith('ERROR'),
    durationMs: 12,
    bytes: 20,
  })
  const style = (columns: number) => ({ columns, theme: chooseTheme('vt100', {}) })
  const withoutSgr = (row: string): string => row.replaceAll(/\u001b\[[\d;]*m/g, '')

  const NAMES = ['Grep', 'calculator', 'run_command'] as const

  test.each(NAMES)('a call row of 33 cells shows the whole tool name %s, running and done', (name) => {
    for (const [ms, time] of [
      [1_500, '1.5s'],
      [3_599_000, '59m 59s'],
    ] as const) {
      const row = withoutSgr(drawCall(call(name), ms, style(33)))
      expect(row).toContain(`-- qwen: ${name}`)
      expect(row.endsWith(` ${time}`)).toBe(true)
      expect(stringWidth(row)).toBeLessThanOrEqual(33)
    }
    for (const text of [
      'ERROR: permission was denied, and this is why',
      'a result that is longer than the row',
    ]) {
      const rows = resultRows(call(name), result(name, text), style(33)).map(withoutSgr)
      expect(rows[0]).toContain(`-- qwen: ${name}`)
      for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(33)
    }
  })

  test('a call row shows the values of arguments if their JSON does not fit', () => {
    const long = { ...call('run_command'), arguments: { command: 'ls -la /', options: [{ deep: true }, 7] } }
    const [row = ''] = resultRows(long, result('run_command', `ERROR: ${'no '.repeat(60)}`), style(99)).map(
      withoutSgr,
    )
    expect(row).toMatch(/^-- qwen: run_command ls -la \/ … -> ERROR: no/)
    expect(withoutSgr(drawCall(long, 1_500, style(79)))).toBe(
      '-- qwen: run_command ls -la / true 7 running 1.5s',
    )
    expect(withoutSgr(drawCall(long, 1_500, style(119)))).toContain('{"command":"ls -la /","options"')
  })

  test('a failed call of a model is one row, with only its error in red', () => {
    const theme = chooseTheme('xterm-256color', {})
    const failed = result('Grep', `ERROR: ${'no such file '.repeat(20)}`)
    const rows = resultRows(call('Grep'), failed, { columns: 79, theme })
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatch(/ -> \u001b/)
    expect(rows[0]).toContain(theme.tool('-- qwen: Grep rm -rf build -> '))
    expect(withoutSgr(rows[0] ?? '')).toMatch(/ -> ERROR: no such file .* …/)
  })

  test('an error of a call by a person is shown in full', () => {
    const { turn: _turn, ...own } = call('Grep')
    const failed = result('Grep', `ERROR: ${'no such file '.repeat(20)}`)
    expect(resultRows(own, failed, style(79)).length).toBeGreaterThan(3)
  })

  test('a call of an unknown tool is one short line', () => {
    const names = "'look', 'calculator'"
    const told = result('calc', `ERROR: You requested a tool called 'calc', however we only have: ${names}`)
    const rows = resultRows(call('calc'), told, style(119)).map(withoutSgr)
    expect(rows).toEqual(['-- @qwen called calc, which is no tool here'])
    expect(resultRows(call('calc'), { ...told, tool: 'calc' }, style(119)).join(' ')).toContain(
      'ERROR: You requested',
    )
  })

  const question: ApprovalEntry = {
    ...base,
    kind: 'approval',
    verdict: 'asked',
    question: 1,
    tool: 'run_command',
    requester: 'bob',
    text: 'question 1: may @qwen use run_command?\n| ls -la',
  }

  test('a call row of 33 cells still says that the call waits for permission', () => {
    const draw = (columns: number, ms: number) => withoutSgr(drawCall(question, ms, style(columns)))
    expect(draw(79, 2_100)).toBe('-- question 1: run_command ls -la: not allowed yet, 2.1s')
    expect(draw(33, 2_100)).toBe('-- question 1: run_c … waits 2.1s')
    expect(draw(33, 119_000)).toBe('-- question 1: run … waits 1m 59s')
  })

  test('a call row with a long tool name is cut but shows the elapsed time', () => {
    const row = withoutSgr(drawCall(call('x'.repeat(64)), 1_500, style(33)))
    expect(row).toMatch(/^-- qwen: x+ … 1\.5s$/)
  })

  test('a call row shows the progress of a tool as a bar if the width permits', () => {
    const draw = (columns: number, progress: ToolProgress) =>
      withoutSgr(drawCall(call('Grep'), 1_500, style(columns), progress))
    const half = { share: 0.5, text: 'reading files' }
    expect(draw(80, half)).toBe(
      '-- qwen: Grep {"command":"rm -rf build"} ▰▰▰▰▱▱▱▱ 50% reading files running 1.5s',
    )
    expect(draw(44, half)).toMatch(/^-- qwen: .* ▰▰▰▰▱▱▱▱ 50% running 1\.5s$/)
    expect(draw(20, half)).not.toContain('▰')
    expect(draw(80, { text: 'reading files' })).toMatch(/ reading files running 1\.5s$/)
    for (const columns of [20, 33, 44, 60, 80])
      expect(stringWidth(draw(columns, half))).toBeLessThanOrEqual(columns)
  })
})
