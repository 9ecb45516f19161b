import { callText, isUnknownTool, toolResultLine, toolResultText } from '../../words/entry-text.ts'
import type { ApprovalEntry, ToolCallEntry, ToolResultEntry } from '../../words/entry.ts'
import { percentText, type ToolProgress } from '../../words/tool-progress.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { duration } from '../../base/amounts.ts'
import type { Json } from '../../base/json.ts'
import type { Span } from '../../base/text/styled.ts'
import { cutToCells, isWider, mostCells } from './cells.ts'
import { besideTimes, withTimes } from './time-column.ts'
import { createMemo, type DrawingStyle, styleKey } from './theme.ts'
import { firstColumns, HANGING_INDENT, paintSpans, wrapSpans, wrapText } from './spans.ts'

export type PendingCall = ToolCallEntry | ApprovalEntry

const CALL_SHARE = 0.33
const LEAST_CELLS = 12
/** The fewest cells in which the values of a call tell anything. */
const LEAST_VALUE_CELLS = 8
const ARROW = ' -> '
const MORE = ' …'

/** Returns `-- qwen: Grep {"pattern":"TODO"}`, or `-- qwen: Grep TODO …`. `most`: cells for a name alone. */
function callHead(call: PendingCall, cells: number, most: number): string {
  const space = Math.max(LEAST_CELLS, cells)
  const name = callName(call)
  const asked = call.kind === 'approval' ? `${call.tool} ${askedOf(call)}` : callText(call)
  const whole = oneLine(cleanText(`-- ${callerOf(call)}: ${asked}`))
  if (!isWider(whole, space)) return whole
  if (mostCells(name) + LEAST_VALUE_CELLS > space)
    return cut(name, Math.max(space, Math.min(mostCells(name), most)))
  const values = call.kind === 'approval' ? askedOf(call) : valuesOf(call.arguments)
  return cut(`${name} ${cleanText(values.slice(0, 2 * space))}`, space)
}

const valuesOf = (json: Json): string =>
  typeof json === 'object' && json !== null ? Object.values(json).map(valuesOf).join(' ') : String(json)

const askedOf = ({ text }: ApprovalEntry): string =>
  text
    .split('\n')
    .flatMap((line) => (line.startsWith('| ') ? [line.slice(2)] : []))
    .join(' ')

const callName = (call: PendingCall): string =>
  oneLine(cleanText(`-- ${callerOf(call)}: ${call.kind === 'approval' ? call.tool : call.name}`))

/** The question above names its model already, so this row has only the question's number. */
const callerOf = (call: PendingCall): string =>
  call.kind === 'approval' && call.question !== undefined
    ? `question ${call.question}`
    : sideOf(call) + call.author

const sideOf = ({ thread }: PendingCall): string => (thread === undefined ? '' : '(side turn) ')

/** Returns one row if possible. The error of a call by a person is shown in full. */
export function resultRows(
  call: ToolCallEntry,
  result: ToolResultEntry,
  style: DrawingStyle,
): readonly string[] {
  const { theme } = style
  const columns = firstColumns(style)
  const role = result.isError ? 'error' : 'tool'
  const hung = (spans: readonly Span[]): readonly string[] =>
    wrapSpans(spans, columns, Math.max(1, style.columns - HANGING_INDENT.length), HANGING_INDENT).map((row) =>
      paintSpans(row, theme),
    )
  if (isUnknownTool(result))
    return hung([{ text: `-- ${sideOf(call)}${cleanText(toolResultLine(result))}`, role }])
  const said = cleanText(toolResultText(result))
  const free = columns - mostCells(said.slice(0, columns)) - ARROW.length
  const head =
    callHead(call, Math.max(free, Math.floor(columns * CALL_SHARE)), columns - ARROW.length) + ARROW
  const end = /\s\([^()]*\)$/.exec(said)?.[0] ?? ''
  const room = columns - mostCells(head)
  const words = said.slice(0, said.length - end.length)
  // The duration and size are dropped if they leave too few cells for the result.
  const shown = room - end.length < LEAST_CELLS ? cut(words, room) : cut(words, room - end.length) + end
  const isWhole = (result.isError && call.turn === undefined) || words === '' || room < LEAST_VALUE_CELLS
  return hung([
    { text: head, role: 'tool' },
    { text: isWhole ? said : shown, role },
  ])
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

function cut(text: string, cells: number): string {
  const line = oneLine(text)
  return isWider(line, cells) ? cutToCells(line, cells - MORE.length).trimEnd() + MORE : line
}

/** Words before the time: for wide rows, then for narrow ones. A question always shows that it waits. */
const DOING = { approval: [': not allowed yet,', ' waits'], tool_call: [' running', ''] } as const
const LONGEST_TIME = ' 59m 59s'

/** Returns ` ▰▰▱▱▱▱▱▱ 20% reading`, or the part of it that fits `room` cells. */
function progressEnd(progress: ToolProgress, room: number): string {
  const { share, text } = progress
  const known = share === undefined ? '' : ` ${bar(share)} ${percentText(progress)}`
  return [text === '' ? known : `${known} ${text}`, known].find((end) => mostCells(end) <= room) ?? ''
}

const once = createMemo<string>()

/** `ms`: how long the call has run, or the question has waited. */
export function drawCall(
  call: PendingCall,
  ms: number,
  style: DrawingStyle,
  progress?: ToolProgress,
): string {
  const beside = besideTimes(style)
  const columns = firstColumns(beside)
  const [wide, narrow] = DOING[call.kind]
  const free = columns - wide.length - LONGEST_TIME.length
  const isNarrow = mostCells(callName(call)) > free
  const end = `${isNarrow ? narrow : wide} ${duration(Math.max(0, ms))}`
  // The row of a question has cells for the time that it shows now, not for the longest time: its text rarely
  // grows, since an answer takes minutes.
  const most = columns - (call.kind === 'approval' ? end.length : LONGEST_TIME.length)
  const far = progress ? progressEnd(progress, columns - LEAST_CELLS - end.length) : ''
  const head =
    far === ''
      ? once(call, `${styleKey(style)} ${most}`, () => callHead(call, free, most))
      : callHead(call, columns - mostCells(far + end), columns)
  const row = wrapText(head + far + end, columns, '')[0] ?? ''
  return withTimes([beside.theme.tool(row)], style, call.at)[0] ?? ''
}

const CELLS = 8

/** Returns `▰▰▱▱▱▱▱▱` for a fraction. Any progress above 0 fills a cell; 1 and more fill the bar. */
export function bar(share: number): string {
  const full = Math.min(CELLS, Math.ceil(share * CELLS))
  return '▰'.repeat(full) + '▱'.repeat(CELLS - full)
}
