import sliceAnsi from 'slice-ansi'
import stringWidth from 'string-width'
import { percentText } from '../../chat/tool-progress.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { bar } from './bar.ts'
import type { RunningWork, SessionStatus } from '../ports.ts'

/** The parts of a status line that have room, from the left. */
export interface StatusParts {
  /** What waits for somebody; empty for nothing. */
  readonly waiting: string
  /** All that follows it. */
  readonly rest: string
}

const SEPARATOR = ' · '
const MORE = '…'
const STOP_KEY = '^X to stop'
/** On a narrower row one's own turn that waits is told in two words. */
const NARROW_COLUMNS = 60

/**
 * The status as one row of at most `columns` cells: what waits and what runs first, then where one is, then the rest. Where
 * it is too much, whole parts are left out from the right, and `…` says so.
 */
export function statusParts(status: SessionStatus, columns: number): StatusParts {
  const waiting = clean(questionsText(status.questions))
  const parts = [
    waiting,
    ...status.othersQuestions.map(({ number, waitsFor }) => `question ${number}: ${waitsFor}`),
    ...runningParts(status, columns),
    status.room,
    `${status.people} here`,
    status.models.map((name) => `@${name}`).join(' '),
    status.scope ? `tools ${status.scope} (${status.tools})` : '',
    status.lastTurn ? budget(status.lastTurn) : '',
  ]
    .map(clean)
    .filter((part) => part !== '')
  const line = fitting(parts, columns)
  const isWhole = waiting !== '' && line.startsWith(waiting)
  return isWhole ? { waiting, rest: line.slice(waiting.length) } : { waiting: '', rest: line }
}

/** The same without colour. */
export function statusLine(status: SessionStatus, columns: number): string {
  const { waiting, rest } = statusParts(status, columns)
  return waiting + rest
}

/** `question 1: /allow 1`, `questions 1, 2: /allow 1` */
function questionsText(numbers: readonly number[]): string {
  const [first] = numbers
  if (first === undefined) return ''
  return `question${numbers.length > 1 ? 's' : ''} ${numbers.join(', ')}: /allow ${first}`
}

/** The key that stops stands beside the first that this person can stop, so that it is seen as long as that is. */
function runningParts({ running, viewer }: SessionStatus, columns: number): readonly string[] {
  const stopped = running.findIndex(({ requester }) => viewer.stopsAll || requester === viewer.name)
  return running.flatMap((work, index) => {
    const isOwnInQueue = index > 0 && work.doing === 'waiting' && work.requester === viewer.name
    const text = isOwnInQueue && columns < NARROW_COLUMNS ? 'yours waits' : workText(work)
    if (index !== stopped) return [text]
    // What runs and its key are left out together; that one's own turn waits is told without it, too.
    return index === 0 ? [`${text}${SEPARATOR}${STOP_KEY}`] : [text, STOP_KEY]
  })
}

function workText({ who, doing, progress, time }: RunningWork): string {
  if (doing === 'waiting') return `${who} waits ${time}`
  const far = progress ? percentText(progress) : ''
  return [who, doing, far, time].filter(Boolean).join(' ')
}

const clean = (part: string): string => cleanText(part).replace(/\s+/g, ' ').trim()

function fitting(parts: readonly string[], columns: number): string {
  const all = parts.join(SEPARATOR)
  if (cellsOf(all) <= columns) return all
  for (let count = parts.length - 1; count > 0; count--) {
    const line = [...parts.slice(0, count), MORE].join(SEPARATOR)
    if (cellsOf(line) <= columns) return line
  }
  return cut(parts[0] ?? '', columns - MORE.length) + MORE.slice(0, columns)
}

/** A text that is made of these alone has a cell for each. The libraries take milliseconds for a line. */
const ONE_CELL_EACH = /^[ -~·…▰▱]*$/

const cellsOf = (text: string): number => (ONE_CELL_EACH.test(text) ? text.length : stringWidth(text))

/** `slice-ansi` keeps a wide character whose first cell only is within the limit. */
function cut(text: string, columns: number): string {
  if (ONE_CELL_EACH.test(text)) return text.slice(0, columns)
  const row = sliceAnsi(text, 0, columns)
  return stringWidth(row) > columns ? sliceAnsi(text, 0, columns - 1) : row
}

/** `▰▰▱▱▱▱▱▱ 2.1k/8k` */
function budget({ used, target }: NonNullable<SessionStatus['lastTurn']>): string {
  return `${bar(target > 0 ? used / target : 0)} ${short(used)}/${short(target)}`
}

const short = (tokens: number): string =>
  tokens < 1000 ? `${tokens}` : `${Number((tokens / 1000).toFixed(1))}k`
