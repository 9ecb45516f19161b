// What the tables of turns hold: the turns with what was sent, and the charges. It must not know who may see what is read.

import type { RoomName } from '../../../../chat/entry.ts'
import type { PersonId } from '../../../../chat/people/person.ts'
import { SYSTEM } from '../../../../chat/people/names.ts'
import type { TurnRecord, TurnStore } from '../../../../turns/ports.ts'
import { type StepRow, toRecord, toRow, type TurnRow, withSteps } from '../../rows/turn-row.ts'
import type { Connection } from '../connection.ts'

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
    last: (room) =>
      read(() => {
        const row = sql.last.get(room, SYSTEM)
        return withSteps(row && toRecord(row), row ? sql.steps.all(row.id) : [])
      }),
    asked: (room, person, limit) => read(() => sql.asked.all(room, person, Math.max(0, limit)).map(toRecord)),
  }
}

function prepare({ db }: Connection) {
  return {
    find: db.prepare<[string], TurnRow>('SELECT * FROM turns WHERE id = ?'),
    insert: db.prepare<[TurnRow]>(
      `INSERT INTO turns (id, room, model, requester, parent, started_at, ended_at, outcome, input, cached,
         output, error, prompt, message, person)
       VALUES (@id, @room, @model, @requester, @parent, @started_at, @ended_at, @outcome, @input, @cached,
         @output, @error, @prompt, @message, @person)`,
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
    last: db.prepare<[string, string], TurnRow>(
      'SELECT * FROM turns WHERE room = ? AND requester <> ? AND parent IS NULL ORDER BY started_at DESC, id DESC LIMIT 1',
    ),
    asked: db.prepare<[RoomName, PersonId, number], TurnRow>(
      `SELECT id, room, model, requester, parent, started_at, ended_at, outcome, input, output, cached, error,
         NULL AS prompt, message, person
       FROM turns WHERE room = ? AND person = ? AND message IS NOT NULL
       ORDER BY started_at DESC, id DESC LIMIT ?`,
    ),
  }
}
