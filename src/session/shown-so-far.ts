import type { Entry } from '../chat/entry.ts'
import { type Aspect, aspectOf } from './drawing/entry-look.ts'
import type { DrawingStyle } from './drawing/theme.ts'
import { dayLine, dayOf } from './drawing/time-column.ts'
import type { Personal } from './personal.ts'

/** How an entry that comes next is to be drawn. */
interface NextLine {
  readonly aspect: Aspect
  /** Stands above it, where its day is not that of the line before. */
  readonly dayLine: string | undefined
  /** What was shown, with that entry. */
  readonly next: ShownSoFar
}

/** What was shown last, as far as what comes next depends on it. It never changes: what was not shown leaves no trace. */
export interface ShownSoFar {
  entry(entry: Entry, style: DrawingStyle): NextLine
  /** The same with something that is no entry. */
  printed(): ShownSoFar
}

/** A speaker who was silent for longer than this is named again. */
const GROUP_MS = 300_000

/** What was said last, and the day of the newest line. */
interface Last {
  readonly day: number
  readonly speech?: Entry | undefined
}

type Who = Pick<Personal, 'emphasis' | 'zone' | 'wallNow'>

/** Nothing yet, today: lines of today need no day. */
export const createShownSoFar = (who: Who): ShownSoFar =>
  shownAfter({ day: dayOf(who.wallNow(), who.zone) }, who)

function shownAfter(last: Last, who: Who): ShownSoFar {
  return {
    entry(entry, { times }) {
      const day = dayOf(entry.at, who.zone)
      const isNewDay = day !== last.day
      const follows = !isNewDay && last.speech !== undefined && isContinued(last.speech, entry)
      return {
        aspect: aspectOf(who.emphasis(entry), follows),
        // Times with dates say it themselves.
        dayLine: isNewDay && !times?.key.startsWith('full') ? dayLine(day, who.zone) : undefined,
        next: shownAfter({ day, speech: isSpeech(entry) ? entry : undefined }, who),
      }
    },
    printed: () => (last.speech === undefined ? shownAfter(last, who) : shownAfter({ day: last.day }, who)),
  }
}

const isSpeech = ({ kind, thread }: Entry): boolean => kind === 'message' && thread === undefined

/** What was edited is told by its name, so it begins anew. */
const isContinued = (before: Entry, entry: Entry): boolean =>
  entry.kind === 'message' &&
  entry.thread === undefined &&
  entry.author === before.author &&
  entry.at - before.at <= GROUP_MS &&
  entry.edits === undefined &&
  entry.edited === undefined
