import sliceAnsi from 'slice-ansi'
import { cleanText } from '../lib/clean-text.ts'
import type { SessionStatus } from './ports.ts'

/** The status as one row of at most `columns` cells, without colour. */
export function statusLine(status: SessionStatus, columns: number): string {
  const parts = [
    status.room,
    `${status.people.length} here`,
    status.models.map((name) => `@${name}`).join(' '),
    `tools ${status.scope} (${status.tools})`,
    status.lastTurn ? budget(status.lastTurn) : '',
    status.running.length > 0 ? [...status.running, '^X to stop'].join(' · ') : '',
  ]
  const line = parts.filter((part) => part !== '').join(' · ')
  return sliceAnsi(cleanText(line).replace(/\s/g, ' '), 0, Math.max(1, columns))
}

const cells = 8

/** `▰▰▱▱▱▱▱▱ 2.1k/8k` */
function budget({ used, target }: NonNullable<SessionStatus['lastTurn']>): string {
  const full = target > 0 ? Math.min(cells, Math.ceil((used / target) * cells)) : 0
  return `${'▰'.repeat(full)}${'▱'.repeat(cells - full)} ${short(used)}/${short(target)}`
}

const short = (tokens: number): string =>
  tokens < 1000 ? `${tokens}` : `${Number((tokens / 1000).toFixed(1))}k`
