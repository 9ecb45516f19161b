import type { Stretch } from '../markdown/inline.ts'
import type { Lead, Unit } from '../markdown/blocks.ts'
import { mostCells } from './cells.ts'
import type { Label } from './look.ts'
import { inBold, paintStretches, withMarks } from './paint-stretches.ts'
import { wrapStretches } from './stretches.ts'
import { tableRow } from './table-rows.ts'
import type { DrawingStyle } from './theme.ts'
import { HANG, wrapText } from './wrap-text.ts'

const CODE_INDENT = '  '

/** A unit of a reply as rows of at most `columns` cells; `label` stands before the first, or above it. */
export function unitRows(unit: Unit, style: DrawingStyle, label?: Label): readonly string[] {
  const lead = fitting(unit.lead, style.columns)
  const width = Math.max(1, style.columns - HANG.length - mostCells(lead.first))
  const labelCells = mostCells(label?.text ?? '')
  const isInline = label && unit.body.type === 'text' && lead.first === '' && labelCells <= style.columns / 2
  const body = bodyRows(unit, style, width, isInline ? style.columns - labelCells : width)
  const rows = body.map((row, index) => {
    const mark = index === 0 ? lead.first : lead.later
    if (index === 0 && isInline) return label.paint(label.text) + row
    return row === '' && mark.trim() === '' ? '' : HANG + paintMark(mark, style) + row
  })
  if (label && !isInline)
    return [...wrapText(label.text.trimEnd(), style.columns, HANG).map(label.paint), ...rows]
  return unit.gap && !label ? ['', ...rows] : rows
}

function bodyRows({ body }: Unit, style: DrawingStyle, width: number, first: number): readonly string[] {
  const { theme } = style
  const paint = (row: readonly Stretch[]): string => paintStretches(row, theme)
  switch (body.type) {
    case 'text': {
      const text = withMarks(body.read(), theme)
      return wrapStretches(body.isHeading ? inBold(text) : text, Math.max(1, first), width).map(paint)
    }
    case 'code': {
      const room = Math.max(1, width - CODE_INDENT.length)
      return wrapStretches(body.read(), room, room).map((row) => {
        const painted = paint(row)
        return painted === '' ? '' : CODE_INDENT + painted
      })
    }
    case 'rule':
      return [theme.dim('-'.repeat(Math.min(width, MAX_RULE)))]
    case 'note':
      return wrapText(body.text, width, '').map((row) => theme.dim(row))
    case 'row':
      return tableRow(body, width, theme)
  }
}

const MAX_RULE = 40

/** Of the marks of what lies deep, no more than half a row is written. */
function fitting({ first, later }: Lead, columns: number): Lead {
  const most = Math.floor(columns / 2)
  return first.length <= most ? { first, later } : { first: first.slice(-most), later: later.slice(-most) }
}

const paintMark = (mark: string, { theme }: DrawingStyle): string =>
  mark.includes('>') ? theme.dim(mark.trimEnd()) + ' ' : mark
