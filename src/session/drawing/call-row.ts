import { callText, toolResultLine } from '../../chat/entry-text.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../chat/entry.ts'
import { percentText, type ToolProgress } from '../../chat/tool-progress.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { duration } from '../../lib/duration.ts'
import { graphemes } from '../../lib/text/graphemes.ts'
import { bar } from './bar.ts'
import { mostCells } from './cells.ts'
import { besideTimes, withTimes } from './margin.ts'
import { styleKey, type DrawingStyle } from './theme.ts'
import { wrapText } from './wrap-text.ts'

/** Of a row, what a call may take before its result. */
const CALL_SHARE = 0.33
const LEAST_CELLS = 12
const ARROW = ' -> '
const MORE = ' …'

/**
 * `-- qwen: Grep {"pattern":"TODO"}`, cut to so many cells; to more of them, but never more than `most`, where the tool's name needs
 * them.
 */
function callHead(call: ToolCallEntry, cells: number, most: number): string {
  const room = Math.max(LEAST_CELLS, cells)
  const name = callName(call)
  if (mostCells(name) + MORE.length > room) return cut(name, Math.max(room, Math.min(mostCells(name), most)))
  return cut(cleanText(`-- ${sideOf(call)}${call.author}: ${callText(call)}`), room)
}

const callName = (call: ToolCallEntry): string =>
  cleanText(`-- ${sideOf(call)}${call.author}: ${call.name}`).replace(/\s+/g, ' ')

const sideOf = ({ thread }: ToolCallEntry): string => (thread === undefined ? '' : '(side turn) ')

/** What a call was and what came of it; one row where it can be, and an error as a whole. */
export function resultRows(
  call: ToolCallEntry,
  result: ToolResultEntry,
  style: DrawingStyle,
): readonly string[] {
  const { columns, theme } = style
  const paint = result.isError ? theme.error : theme.tool
  const said = cleanText(toolResultLine(result)).slice(`${result.name}: `.length)
  const free = columns - mostCells(said.slice(0, columns)) - ARROW.length
  const head =
    callHead(call, Math.max(free, Math.floor(columns * CALL_SHARE)), columns - ARROW.length) + ARROW
  const end = /\s\([^()]*\)$/.exec(said)?.[0] ?? ''
  const room = columns - mostCells(head) - end.length
  const text =
    result.isError || room < LEAST_CELLS ? said : cut(said.slice(0, said.length - end.length), room) + end
  return wrapText(head + text, columns, '  ').map((row) => paint(row))
}

/** One line of at most so many cells. */
function cut(text: string, cells: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  // No character takes less than a cell, and no row is that long.
  const near = line.slice(0, 2 * cells + 64)
  if (near === line && mostCells(line) <= cells) return line
  let [shown, left] = ['', cells - MORE.length]
  for (const character of graphemes(near)) {
    left -= mostCells(character)
    if (left < 0) break
    shown += character
  }
  return shown.trimEnd() + MORE
}

const RUNNING = ' running'
const LONGEST_TIME = ' 59m 59s'
const LONGEST_END = RUNNING + LONGEST_TIME

/** ` ▰▰▱▱▱▱▱▱ 20% reading`, as much of it as has room in so many cells. */
function progressEnd(progress: ToolProgress, room: number): string {
  const { share, text } = progress
  const known = share === undefined ? '' : ` ${bar(share)} ${percentText(progress)}`
  return [text === '' ? known : `${known} ${text}`, known].find((end) => mostCells(end) <= room) ?? ''
}

/** Draws calls that run, once for all who look alike. */
export type DrawCall = (
  call: ToolCallEntry,
  ms: number,
  style: DrawingStyle,
  progress?: ToolProgress,
) => string

export function createDrawCall(): DrawCall {
  const heads = new WeakMap<ToolCallEntry, Map<string, string>>()
  return (call, ms, style, progress) => {
    const beside = besideTimes(style)
    const known = heads.get(call) ?? new Map<string, string>()
    heads.set(call, known)
    const isNarrow = mostCells(callName(call)) > beside.columns - LONGEST_END.length
    const end = `${isNarrow ? '' : RUNNING} ${duration(Math.max(0, ms))}`
    const key = styleKey(style)
    const head =
      known.get(key) ??
      callHead(call, beside.columns - LONGEST_END.length, beside.columns - LONGEST_TIME.length)
    known.set(key, head)
    const far = progress ? progressEnd(progress, beside.columns - LEAST_CELLS - end.length) : ''
    const shown = far === '' ? head : callHead(call, beside.columns - mostCells(far + end), beside.columns)
    const row = wrapText(shown + far + end, beside.columns, '')[0] ?? ''
    return withTimes([beside.theme.tool(row)], style, call.at)[0] ?? ''
  }
}
