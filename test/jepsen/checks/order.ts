import type { Act, Visit } from '../history.ts'
import type { Played } from '../run.ts'
import { roomsShown, type ShownRoom } from '../screen.ts'
import { marksIn } from '../truth.ts'
import { at, type Check, faultsNear, type Finding } from './finding.ts'

/**
 * From the first line of its own, which it said after it came, a screen shows all that is said, as the log has it. What it shows
 * before that is of the past, where a line stands in its last version, which may be said while the past is drawn.
 */
export const order: Check = {
  name: 'each screen shows the lines of its room in the order of the log, without a gap, each once',
  judge(played) {
    const rooms = new Set(played.truth.entries.map(({ room }) => room))
    const logs = new Map([...rooms].map((room) => [room, marksOf(played, room)]))
    const acts = new Map(played.history.acts.map((act) => [act.mark, act]))
    return played.history.visits.flatMap((visit) => {
      const shown = roomsShown(visit.screen, rooms)
      return shown.flatMap((part, index) => {
        const isLast = index === shown.length - 1 && visit.endedAt === undefined
        const lived = livedThrough(visit, part, acts)
        const wrong = lived.length > 0 ? gapIn(lived, logs.get(part.room) ?? [], isLast) : undefined
        return wrong ? [finding(played, visit, part, wrong)] : []
      })
    })
  },
}

const marksOf = ({ truth }: Played, room: string): readonly string[] =>
  truth.entries
    .filter((entry) => entry.room === room && (entry.kind === 'message' || entry.kind === 'action'))
    .flatMap(({ text }) => marksIn(text))

function livedThrough(visit: Visit, { marks }: ShownRoom, acts: ReadonlyMap<string, Act>): readonly string[] {
  const own = (mark: string): boolean => {
    const act = acts.get(mark)
    return act?.client === visit.client && act.begunAt >= visit.openedAt && act.kind !== 'edit'
  }
  const first = marks.findIndex(own)
  return first < 0 ? [] : marks.slice(first)
}

interface Wrong {
  readonly what: string
  /** The marks around it, as the screen and as the log has them. */
  readonly onScreen: readonly string[]
  readonly inLog: readonly string[]
}

/** Lines on each side of what is wrong that are shown with it. */
const AROUND = 3

function gapIn(marks: readonly string[], log: readonly string[], isLast: boolean): Wrong | undefined {
  const start = log.indexOf(marks[0] ?? '')
  const wanted = log.slice(start, isLast ? undefined : start + marks.length)
  const length = Math.max(wanted.length, marks.length)
  for (let place = 0; place < length; place++)
    if (start < 0 || marks[place] !== wanted[place]) {
      const cut = (all: readonly string[]): readonly string[] =>
        all.slice(Math.max(0, place - AROUND), place + AROUND + 1)
      const what = `${marks[place] ?? 'nothing'} where the log has ${wanted[place] ?? 'nothing'}`
      return { what, onScreen: cut(marks), inLog: cut(wanted) }
    }
  return undefined
}

function finding(
  { history }: Played,
  visit: Visit,
  { room }: ShownRoom,
  { what, onScreen, inLog }: Wrong,
): Finding {
  const near = history.acts.filter(({ mark }) => mark !== '' && [...onScreen, ...inLog].includes(mark))
  const from = Math.min(...near.map(({ begunAt }) => begunAt))
  const { client, machine, openedAt, endedAt } = visit
  return {
    what: `${client}'s screen on ${machine}, in ${room}: ${what}`,
    shown: [
      `the session lasted from ${at(openedAt)} to ${at(endedAt)}`,
      `on the screen: ${onScreen.join(' ')}`,
      `in the log:    ${inLog.join(' ')}`,
      ...near.map(
        (act) =>
          `${at(act.begunAt)}: ${act.client} on ${act.machine} in ${act.room}: ${act.kind} ${act.mark}`,
      ),
      ...faultsNear(history, from),
    ],
  }
}
