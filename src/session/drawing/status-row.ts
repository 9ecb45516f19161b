import type { SessionStatus } from '../ports.ts'
import { cellsOf, statusParts } from './status-line.ts'
import { styleKey, type DrawingStyle } from './theme.ts'

/** Draws status lines, each once in a style as long as the same object is given. */
export function createStatusRows(): (status: SessionStatus, style: DrawingStyle) => string {
  const drawn = new WeakMap<SessionStatus, Map<string, string>>()
  return (status, style) => {
    const rows = drawn.get(status) ?? new Map<string, string>()
    drawn.set(status, rows)
    const key = styleKey(style)
    const row = rows.get(key) ?? statusRow(status, style)
    rows.set(key, row)
    return row
  }
}

/** One row from edge to edge. */
function statusRow(status: SessionStatus, { columns, theme }: DrawingStyle): string {
  const { waiting, rest } = statusParts(status, columns)
  const free = Math.max(0, columns - cellsOf(waiting + rest))
  return theme.waiting(waiting) + theme.status(rest + ' '.repeat(free))
}
