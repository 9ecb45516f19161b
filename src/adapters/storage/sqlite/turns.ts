import type { RoomName, TurnId } from '../../../chat/entry.ts'
import type { SentStep, Spending, TurnRecord, TurnStore } from '../../../turns/ports.ts'
import type { Prompt } from '../../../prompt/prompt.ts'
import type { Connection } from './connection.ts'

interface TurnRow {
  readonly id: TurnId
  readonly room: RoomName
  readonly model: string
  readonly requester: string
  readonly started_at: number
  readonly ended_at: number | null
  readonly outcome: string | null
  readonly input: number | null
  readonly output: number | null
  readonly cached: number | null
  readonly error: string | null
  readonly prompt: string | null
}

interface StepRow {
  readonly sent: string
}

type ModelUsage = Awaited<ReturnType<TurnStore['usage']>>[number]

/** Models' turns, with the prompts that were sent. */
export function createTurnStore(connection: Connection): TurnStore {
  const { read, write } = connection
  const sql = prepare(connection)
  const find = (id: string): TurnRecord | undefined => {
    const row = sql.find.get(id)
    return row && toRecord(row)
  }
  return {
    begin: (turn) => write(() => void sql.insert.run(toRow(turn))),
    finish: (id, change) =>
      write(() => {
        const turn = find(id)
        if (turn) sql.update.run(toRow({ ...turn, ...change }))
      }),
    addStep: (id, step) => write(() => void sql.addStep.run({ turn: id, sent: JSON.stringify(step) })),
    find: (id) => read(() => withSteps(find(id), sql.steps.all(id))),
    unfinished: () => read(() => sql.unfinished.all().map(toRecord)),
    spending: (of, after) =>
      read(() => ('room' in of ? sql.spentIn.all({ ...of, after }) : sql.spentBy.all({ ...of, after }))),
    usage: ({ room, since }) =>
      read(() => (room === undefined ? sql.usage.all({ since }) : sql.usageOfRoom.all({ since, room }))),
  }
}

function prepare({ db }: Connection) {
  return {
    find: db.prepare<[string], TurnRow>('SELECT * FROM turns WHERE id = ?'),
    insert: db.prepare<[TurnRow]>(
      `INSERT INTO turns (id, room, model, requester, started_at, ended_at, outcome, input, cached, output,
         error, prompt)
       VALUES (@id, @room, @model, @requester, @started_at, @ended_at, @outcome, @input, @cached, @output,
         @error, @prompt)`,
    ),
    update: db.prepare<[TurnRow]>(
      `UPDATE turns SET room = @room, model = @model, requester = @requester, started_at = @started_at,
         ended_at = @ended_at, outcome = @outcome, input = @input, cached = @cached, output = @output,
         error = @error, prompt = @prompt
       WHERE id = @id`,
    ),
    addStep: db.prepare<[{ turn: string; sent: string }]>(
      `INSERT INTO turn_steps (turn, step, sent)
       SELECT @turn, 1 + count(*), @sent FROM turn_steps WHERE turn = @turn`,
    ),
    steps: db.prepare<[string], StepRow>('SELECT sent FROM turn_steps WHERE turn = ? ORDER BY step'),
    unfinished: db.prepare<[], TurnRow>('SELECT * FROM turns WHERE ended_at IS NULL ORDER BY started_at, id'),
    spentIn: db.prepare<{ room: string; after: number }, Spending>(spendingSql('room')),
    spentBy: db.prepare<{ requester: string; after: number }, Spending>(spendingSql('requester')),
    usage: db.prepare<[{ since: number }], ModelUsage>(usageSql('')),
    usageOfRoom: db.prepare<[{ since: number; room: string }], ModelUsage>(usageSql('room = @room AND')),
  }
}

const withSteps = (turn: TurnRecord | undefined, rows: readonly StepRow[]): TurnRecord | undefined =>
  turn && rows.length > 0 ? { ...turn, steps: rows.map(({ sent }) => JSON.parse(sent) as SentStep) } : turn

const spendingSql = (column: 'room' | 'requester'): string =>
  `SELECT started_at AS startedAt, input + output AS tokens FROM turns
   WHERE ${column} = @${column} AND started_at > @after AND input + output > 0 ORDER BY started_at`

const usageSql = (condition: string): string =>
  `SELECT model, count(*) AS turns, ifnull(sum(input), 0) AS input,
     ifnull(sum(cached), 0) AS cached, ifnull(sum(output), 0) AS output
   FROM turns WHERE ${condition} started_at >= @since GROUP BY model ORDER BY max(started_at) DESC, model`

const toRow = (turn: TurnRecord): TurnRow => ({
  id: turn.id,
  room: turn.room,
  model: turn.model,
  requester: turn.requester,
  started_at: turn.startedAt,
  ended_at: turn.endedAt ?? null,
  outcome: turn.outcome ?? null,
  input: turn.usage?.input ?? null,
  cached: turn.usage?.cached ?? null,
  output: turn.usage?.output ?? null,
  error: turn.error ?? null,
  prompt: turn.prompt === undefined ? null : JSON.stringify(turn.prompt),
})

const toRecord = (row: TurnRow): TurnRecord => ({
  id: row.id,
  room: row.room,
  model: row.model,
  requester: row.requester,
  startedAt: row.started_at,
  ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...usageIn(row),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.prompt === null ? {} : { prompt: JSON.parse(row.prompt) as Prompt }),
})

function usageIn({ input, cached, output }: TurnRow): Pick<TurnRecord, 'usage'> {
  if (input === null || output === null) return {}
  return { usage: { input, output, ...(cached === null ? {} : { cached }) } }
}
