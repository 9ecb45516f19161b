import type { EntryId, RoomName, TurnId } from '../../../chat/entry.ts'
import type { PersonId } from '../../../chat/people/person.ts'
import type { Prompt } from '../../../prompt/prompt.ts'
import type { SentStep, TurnRecord } from '../../../turns/ports.ts'

/** A row of `turns`; the prompt is JSON. */
export interface TurnRow {
  readonly id: TurnId
  readonly room: RoomName
  readonly model: string
  readonly requester: string
  readonly parent: string | null
  readonly started_at: number
  readonly ended_at: number | null
  readonly outcome: string | null
  readonly input: number | null
  readonly output: number | null
  readonly cached: number | null
  readonly error: string | null
  readonly prompt: string | null
  readonly message: EntryId | null
  readonly person: PersonId | null
}

/** A row of `turn_steps`, as JSON. */
export interface StepRow {
  readonly sent: string
}

export const withSteps = (turn: TurnRecord | undefined, rows: readonly StepRow[]): TurnRecord | undefined =>
  turn && rows.length > 0 ? { ...turn, steps: rows.map(({ sent }) => JSON.parse(sent) as SentStep) } : turn

export const toRow = (turn: TurnRecord): TurnRow => ({
  id: turn.id,
  room: turn.room,
  model: turn.model,
  requester: turn.requester,
  parent: turn.parent ?? null,
  started_at: turn.startedAt,
  ended_at: turn.endedAt ?? null,
  outcome: turn.outcome ?? null,
  input: turn.usage?.input ?? null,
  cached: turn.usage?.cached ?? null,
  output: turn.usage?.output ?? null,
  error: turn.error ?? null,
  prompt: turn.prompt === undefined ? null : JSON.stringify(turn.prompt),
  message: turn.message ?? null,
  person: turn.person ?? null,
})

export const toRecord = (row: TurnRow): TurnRecord => ({
  id: row.id,
  room: row.room,
  model: row.model,
  requester: row.requester,
  ...(row.parent === null ? {} : { parent: row.parent }),
  startedAt: row.started_at,
  ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...usageIn(row),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.message === null ? {} : { message: row.message }),
  ...(row.person === null ? {} : { person: row.person }),
  ...(row.prompt === null ? {} : { prompt: JSON.parse(row.prompt) as Prompt }),
})

function usageIn({ input, cached, output }: TurnRow): Pick<TurnRecord, 'usage'> {
  if (input === null || output === null) return {}
  return { usage: { input, output, ...(cached === null ? {} : { cached }) } }
}
