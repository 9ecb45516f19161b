import type { LogStats } from '../../../chat/log-stats.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'

/** What is shown of a room's log in numbers: a line about all of it, its authors, then a line for each day. */
export function statsText(room: string, { entries, first, last, authors, days }: LogStats): string {
  if (first === undefined || last === undefined) return `${room}: nothing was recorded yet`
  const width = Math.max(...authors.map(({ author }) => author.length))
  return [
    `${room}: ${entries} entries, ${dayOf(first)} to ${dayOf(last)}`,
    '',
    'who recorded them',
    ...authors.map((one) => `  ${cleanLine(one.author).padEnd(width)} ${String(one.entries).padStart(8)}`),
    '',
    `${'day (UTC)'.padEnd(12)}${HEADINGS.map(inColumn).join('')}`,
    ...days.map(
      ({ day, entries: all, calls, replies, input, output }) =>
        `${day.padEnd(12)}${[all, replies, calls, input, output].map(inColumn).join('')}`,
    ),
  ].join('\n')
}

const HEADINGS = ['entries', 'replies', 'calls', 'tokens in', 'out']

const inColumn = (value: string | number): string => String(value).padStart(11)

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
