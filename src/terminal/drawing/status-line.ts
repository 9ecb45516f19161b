import { countText, type RoomNews } from '../../chat/index.ts'
import { percentText, WAITING_FOR_ANSWER } from '../../words/tool-progress.ts'
import { DAY_MS } from '../../base/amounts.ts'
import type { Zone } from '../../base/zone.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { cutToCells, mostCells } from './cells.ts'
import type { RunningWork, SessionStatus } from '../ports.ts'
import { createMemo, type DrawingStyle, styleKey } from './theme.ts'

const SEPARATOR = ' · '
const MORE = '…'
const STOP_KEY = '^X to stop'
const NARROW_COLUMNS = 60

/** Forms of one part, the longest first. */
type Part = readonly [whole: string, ...shorter: string[]]

/**
 * Puts questions and running work first, then the room, then what is new in other rooms. `…` replaces whole
 * parts at the right that have no room, but news only after all that stands before it.
 */
export function statusParts(
  status: SessionStatus,
  columns: number,
  news: readonly RoomNews[] = [],
  next = '',
) {
  const before = cleanParts([
    questionsPart(status),
    ...status.othersQuestions.map(({ number, waitsFor }): Part => [
      `question ${number} waits for ${waitsFor}`,
      `question ${number}: ${waitsFor}`,
    ]),
    ...runningParts(status, columns),
    [status.room],
  ])
  const after = cleanParts([
    [`${status.people} here`],
    [status.models.map((name) => modelText(name, status.lastTurn)).join(' ')],
    [status.scope ? `tools ${status.scope} (${status.tools})` : ''],
    listenersPart(status),
    [next],
  ])
  const line = fitParts(before, cleanParts([newsPart(news)])[0], after, columns)
  const waiting = questionsPart(status).find((form) => form !== '' && line.startsWith(form))
  return waiting === undefined ? { waiting: '', rest: line } : { waiting, rest: line.slice(waiting.length) }
}

/** Returns `question 1: y or n, Enter`, `questions 1, 2: 1 allows, or /deny 1`, or only what to type. */
function questionsPart({ questions: numbers, answeredBy }: SessionStatus): Part {
  const [first] = numbers
  if (first === undefined) return ['']
  const answer = {
    word: 'y or n, Enter',
    number: `${first} allows, or /deny ${first}`,
    command: `/allow ${first}`,
  }[answeredBy]
  return [`question${numbers.length > 1 ? 's' : ''} ${numbers.join(', ')}: ${answer}`, answer]
}

/** Shows the stop key beside the first work that this person can stop. */
function runningParts({ running, viewer }: SessionStatus, columns: number): readonly Part[] {
  const stopped = running.findIndex(({ requester }) => requester === viewer)
  return running.flatMap((work, index): readonly Part[] => {
    const isOwnInQueue = index > 0 && work.doing === 'waiting' && work.requester === viewer
    const text = isOwnInQueue && columns < NARROW_COLUMNS ? 'yours waits' : workText(work)
    const short = work.doing === WAITING_FOR_ANSWER ? `${work.who} waits` : work.who
    if (index !== stopped) return [[text, short]]
    // If only one has space, the key is more useful than what it stops.
    const both = (who: string): string => `${who}${SEPARATOR}${STOP_KEY}`
    return index === 0 ? [[both(text), both(short), STOP_KEY]] : [[text], [STOP_KEY]]
  })
}

function workText({ who, doing, progress, time }: RunningWork): string {
  if (doing === 'waiting') return `${who} waits ${time}`
  const far = progress ? percentText(progress) : ''
  return [who, doing, far, time].filter(Boolean).join(' ')
}

const MAX_ROOMS = 4
const NEXT_KEY = '(Alt-A)'

/** The rooms in which something is new, with the key that goes there if a line names the person. */
function newsPart(news: readonly RoomNews[]): Part {
  if (news.length === 0) return ['']
  const lists = [newsText(news, MAX_ROOMS), newsText(news, 1), newsText(news.slice(0, 1), 1)]
  return news[0]?.isNamed ? [`${lists[0]} ${NEXT_KEY}`, ...lists] : (lists as [string])
}

function listenersPart({ listeners }: SessionStatus): Part {
  if (listeners.length === 0) return ['']
  if (listeners.length === 1) return [`${listeners[0]} listens`]
  return [`${listeners.join(', ')} listen`, `${listeners.length} listen`]
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Returns `next 09:00` for the next 24 hours, `next mon 09:00` for the next week, else `next 2026-12-01`. */
export function nextText(at: number, now: number, zone: Zone): string {
  const local = new Date(zone.local(at))
  const [date = '', time = ''] = local.toISOString().split('T')
  if (at - now < DAY_MS) return `next ${time.slice(0, 5)}`
  return at - now < 6 * DAY_MS ? `next ${WEEKDAYS[local.getUTCDay()]} ${time.slice(0, 5)}` : `next ${date}`
}

/** `den 3, ops 1!`: rooms in which something is new, marked if a line names the person. */
function newsText(news: readonly RoomNews[], most: number): string {
  const rooms = news
    .slice(0, most)
    // Sorted by name, so that a room keeps its place while lines arrive.
    .toSorted((a, b) => (a.room < b.room ? -1 : 1))
    .map(({ room, count, isNamed }) => `${room} ${countText(count)}${isNamed ? '!' : ''}`)
  const more = news.length - rooms.length
  return [...rooms, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

const clean = (form: string): string => cleanText(form).replace(/\s+/g, ' ').trim()

const cleanParts = (parts: readonly Part[]): readonly Part[] =>
  parts
    .map(([whole, ...shorter]): Part => [clean(whole), ...shorter.map(clean)])
    .filter(([whole]) => whole !== '')

function fitParts(
  before: readonly Part[],
  news: Part | undefined,
  after: readonly Part[],
  columns: number,
): string {
  const parts = [...before, ...(news ? [news] : []), ...after]
  const withNews = news && fitLine(parts, columns, before.length)
  if (withNews !== undefined) return withNews
  for (const form of news?.slice(-2) ?? []) {
    const line = fitLine(before, columns - mostCells(SEPARATOR + form))
    if (line !== undefined) return line + SEPARATOR + form
  }
  const [first = ''] = before[0] ?? []
  return fitLine(parts, columns) ?? cutToCells(first, columns - MORE.length) + MORE.slice(0, columns)
}

/** Returns the longest line that fits and has the first `least` parts whole; undefined if none does. */
function fitLine(parts: readonly Part[], columns: number, least = 0): string | undefined {
  for (const line of linesOf(parts, least)) if (mostCells(line) <= columns) return line
  return undefined
}

function* linesOf(parts: readonly Part[], least: number): Generator<string, void, void> {
  const wholes = parts.map(([whole]) => whole)
  yield wholes.join(SEPARATOR)
  for (let count = parts.length - 1; count > 0 && count >= least; count--) {
    const before = wholes.slice(0, count)
    for (const form of shorterOf(parts[count])) yield [...before, form, MORE].join(SEPARATOR)
    if (count > least) yield [...before, MORE].join(SEPARATOR)
  }
  if (least > 0) return
  for (const form of [...wholes.slice(0, 1), ...shorterOf(parts[0])]) {
    yield form + SEPARATOR + MORE
    yield form + MORE
  }
}

const shorterOf = (part: Part = ['']): readonly string[] => part.slice(1)

/** `@qwen 34%` for the model that was asked last, `@gpt` for the others. */
const modelText = (name: string, last: SessionStatus['lastTurn']): string =>
  last?.model === name ? `@${name} ${last.percent}%` : `@${name}`

const once = createMemo<string>()

/** `news` is personal, so only a row without news is drawn once for many sessions. */
export function statusRow(
  status: SessionStatus,
  style: DrawingStyle,
  news: readonly RoomNews[] = [],
  next = '',
): string {
  const { columns, theme } = style
  const draw = (): string => {
    const { waiting, rest } = statusParts(status, columns, news, next)
    const free = Math.max(0, columns - mostCells(waiting + rest))
    return theme.waiting(waiting) + theme.status(rest + ' '.repeat(free))
  }
  return news.length > 0 ? draw() : once(status, `${styleKey(style)} ${next}`, draw)
}
