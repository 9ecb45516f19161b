import { cleanText } from '../../lib/text/clean-text.ts'
import type { DrawingStyle } from './theme.ts'
import { wrapText } from './wrap-text.ts'

/** What a model thinks is folded into one row: the last of what would be shown of it. */
export function thoughtRow(model: string, thought: string, { columns, theme }: DrawingStyle): string {
  const label = `${model} thinks: … `
  const rows = wrapText(
    cleanText(thought.slice(-4 * columns)).trim(),
    Math.max(1, columns - label.length),
    '',
  )
  return theme.dim(wrapText(`${label}${rows.at(-1) ?? ''}`, columns, '')[0] ?? '')
}
