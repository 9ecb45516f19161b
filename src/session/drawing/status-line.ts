import sliceAnsi from 'slice-ansi'
import stringWidth from 'string-width'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { SessionStatus } from '../ports.ts'

/** The status as one row of at most `columns` cells, without colour. */
export function statusLine(status: SessionStatus, columns: number): string {
  const parts = [
    status.room,
    `${status.people} here`,
    status.models.map((name) => `@${name}`).join(' '),
    status.scope ? `tools ${status.scope} (${status.tools})` : '',
    status.lastTurn ? budget(status.lastTurn) : '',
    status.running.length > 0 ? [...status.running, '^X to stop'].join(' · ') : '',
  ]
  const line = parts.filter((part) => part !== '').join(' · ')
  return cut(cleanText(line).replace(/\s/g, ' '), columns)
}

/** A row that is made of these alone has a cell for each. */
const ONE_CELL_EACH = /^[ -~·]*$/

/** `slice-ansi` keeps a wide character whose first cell only is within the limit. */
function cut(line: string, columns: number): string {
  // A new row is made whenever the number of people changes, and the libraries take milliseconds.
  if (ONE_CELL_EACH.test(line)) return line.slice(0, columns)
  const row = sliceAnsi(line, 0, columns)
  return stringWidth(row) > columns ? sliceAnsi(line, 0, columns - 1) : row
}

const BUDGET_CELLS = 8

/** `▰▰▱▱▱▱▱▱ 2.1k/8k` */
function budget({ used, target }: NonNullable<SessionStatus['lastTurn']>): string {
  const full = target > 0 ? Math.min(BUDGET_CELLS, Math.ceil((used / target) * BUDGET_CELLS)) : 0
  return `${'▰'.repeat(full)}${'▱'.repeat(BUDGET_CELLS - full)} ${short(used)}/${short(target)}`
}

const short = (tokens: number): string =>
  tokens < 1000 ? `${tokens}` : `${Number((tokens / 1000).toFixed(1))}k`
