import type { Act } from '../history.ts'
import type { Played } from '../run.ts'
import { marksIn, type StoredEntry } from '../truth.ts'
import { type Check, described, faultsNear, type Finding } from './finding.ts'

/** Nothing that was acknowledged is lost, and nothing is there twice. */
export const kept: Check = {
  name: 'what was acknowledged is in the log, once, and what was not at most once',
  judge: (played) => [...linesOf(played), ...uncountable(played)],
}

/** Each line by its mark. */
function linesOf({ history, truth }: Played): readonly Finding[] {
  const stored = new Map<string, StoredEntry[]>()
  for (const entry of truth.entries)
    if (entry.kind === 'message' || entry.kind === 'action')
      for (const mark of marksIn(entry.text)) stored.set(mark, [...(stored.get(mark) ?? []), entry])
  return history.acts.flatMap((act) => {
    if (act.mark === '' || act.kind === 'ban' || act.kind === 'unban') return []
    const found = stored.get(act.mark) ?? []
    const what = wrongOf(act, found)
    if (what === undefined) return []
    const entries = found.map(
      ({ id, room, author, text }) => `stored in ${room} as ${id}: ${author}: ${text}`,
    )
    return { what, shown: [described(act), ...entries, ...faultsNear(history, act.begunAt, act.endedAt)] }
  })
}

function wrongOf(act: Act, found: readonly StoredEntry[]): string | undefined {
  if (found.length > 1) return `${act.mark} is in the log ${found.length} times`
  const [entry] = found
  if (!entry) return act.outcome === 'done' ? `${act.mark} was acknowledged and is not in the log` : undefined
  return entry.room === act.room && entry.author === act.client
    ? undefined
    : `${act.mark} is in the log of ${entry.room} as said by ${entry.author}`
}

/** What has no mark is counted. The same reaction again takes it back. What was refused may be there: PostgreSQL went away meanwhile. */
function uncountable({ history, truth }: Played): readonly Finding[] {
  const tried = history.acts.filter(({ kind }) => kind === 'retract' || kind === 'react')
  const keys = new Set(tried.map(({ client, room }) => `${client} ${room}`))
  return [...keys].flatMap((key) => {
    const own = tried.filter(({ client, room }) => `${client} ${room}` === key)
    const done = own.filter(({ outcome }) => outcome === 'done').length
    const found = truth.entries.filter(
      ({ author, room, data }) => `${author} ${room}` === key && (data.reacts ?? data.retracts) !== undefined,
    )
    if (found.length >= done && found.length <= own.length) return []
    const what = `${key}: ${done} to ${own.length} reactions and retractions, ${found.length} in the log`
    return { what, shown: own.map(described) }
  })
}
