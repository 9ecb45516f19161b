import type { Act, History } from '../history.ts'
import type { Played } from '../run.ts'
import type { StoredEntry, StoredTurn } from '../truth.ts'
import { type Check, described, faultsNear } from './finding.ts'

/** Whatever became of its server, a turn has one holder at a time: so it is begun once, and ends once. */
export const turns: Check = {
  name: 'each turn of a model has one end, and each line begins one turn at most',
  judge: (played) => [
    ...played.truth.turns.flatMap((turn) => wrongIn(played, turn)),
    ...repeated(played.truth.turns).map((turn) => found(played, turn, 'two turns for one line')),
  ],
}

const repeated = (all: readonly StoredTurn[]): readonly StoredTurn[] =>
  all.filter(
    (turn, place) =>
      turn.message !== null && all.findIndex(({ message }) => message === turn.message) < place,
  )

function wrongIn(played: Played, turn: StoredTurn): ReturnType<Check['judge']> {
  const entries = entriesOf(played, turn)
  const replies = entries.filter(({ kind }) => kind === 'reply')
  const notices = entries.filter(({ kind }) => kind === 'notice')
  const isDone = replies.some(({ data }) => data.outcome === 'done')
  const wrong = [
    turn.ended ? undefined : 'a turn that never ended',
    replies.length > 1 ? 'a turn with two replies' : undefined,
    notices.length > 1 ? 'a turn that was ended twice' : undefined,
    isDone && notices.some(({ text }) => text.includes('cut off'))
      ? 'a turn that was done and cut off'
      : undefined,
    turn.ended && entries.length === 0 ? 'a turn of whose end nobody was told' : undefined,
  ]
  return wrong.flatMap((what) => (what === undefined ? [] : [found(played, turn, what)]))
}

const entriesOf = ({ truth }: Played, { id }: StoredTurn): readonly StoredEntry[] =>
  truth.entries.filter(({ data, kind }) => data.turn === id && (kind === 'reply' || kind === 'notice'))

/** Somebody may have stopped it. */
const stopsNear = ({ acts }: History, { room, begunAt }: Act): readonly string[] =>
  acts
    .filter((act) => act.kind === 'stop' && act.room === room && Math.abs(act.begunAt - begunAt) < STOPS_MS)
    .map(described)

const STOPS_MS = 10_000

function found(played: Played, turn: StoredTurn, what: string): ReturnType<Check['judge']>[number] {
  const { history, truth } = played
  const line = truth.entries.find(({ id }) => id === turn.message)
  const act = history.acts.find(
    ({ kind, mark }) => kind === 'ask' && mark !== '' && line?.text.includes(`${mark} `),
  )
  return {
    what: `${what}: ${turn.id} in ${turn.room}, ${turn.outcome ?? 'open'}`,
    shown: [
      ...(act ? [described(act)] : []),
      ...entriesOf(played, turn).map(({ id, kind, text }) => `${id} ${kind}: ${text}`),
      ...(act ? [...stopsNear(history, act), ...faultsNear(history, act.begunAt)] : []),
    ],
  }
}
