// What the tables of turns hold: the turns with what was sent, and the charges. It must not know who may see what is read.

import { SYSTEM } from '../../../../chat/people/names.ts'
import type { TurnRecord, TurnStore } from '../../../../turns/ports.ts'
import { type StepRow, toRecord, toRow, type TurnRow, withSteps } from '../../rows/turn-row.ts'
import type { Connections } from '../connection.ts'
import { stepsOf } from '../../locks.ts'
import { sql, type Sql } from '../sql.ts'
import type { Statements } from '../statements.ts'
import { checkTurns } from './lost-turns.ts'

/** Models' turns, with the prompts that were sent. */
export function createTurnStore({ read, writeQueue }: Connections): TurnStore {
  const writes = writeQueue()
  const one = async (statement: Sql): Promise<TurnRecord | undefined> => {
    const row = await read.get<TurnRow>(statement)
    if (!row) return undefined
    const steps = await read.all<StepRow>(
      sql`SELECT sent FROM turn_steps WHERE turn = ${row.id} ORDER BY step`,
    )
    return withSteps(toRecord(row), steps)
  }
  return {
    async begin(turn) {
      await writes.run(insert(toRow(turn)))
    },
    finish: (id, change) =>
      writes.write(async (tx) => {
        const row = await tx.get<TurnRow>(sql`SELECT * FROM turns WHERE id = ${id} FOR UPDATE`)
        await checkTurns(tx, [id])
        if (row) await tx.run(update(toRow({ ...toRecord(row), ...change })))
      }),
    addStep: (id, step) =>
      writes.write(async (tx) => {
        await checkTurns(tx, [id])
        await tx.run(sql`
          INSERT INTO turn_steps (turn, step, sent)
          SELECT ${id}, 1 + count(*), ${JSON.stringify(step)} FROM turn_steps WHERE turn = ${id}`)
      }, stepsOf(id)),
    find: (id) => one(sql`SELECT * FROM turns WHERE id = ${id}`),
    async unfinished() {
      const rows = await writes.write(takeOver)
      return rows.map(toRecord).toSorted((a, b) => a.startedAt - b.startedAt)
    },
    last: (room) =>
      one(sql`
        SELECT * FROM turns WHERE room = ${room} AND requester <> ${SYSTEM} AND parent IS NULL
        ORDER BY started_at DESC, id DESC LIMIT 1`),
    async asked(room, person, limit) {
      const rows = await read.all<TurnRow>(sql`
        SELECT id, room, model, requester, parent, started_at, ended_at, outcome, input, output, cached, error,
          NULL AS prompt, message, person
        FROM turns WHERE room = ${room} AND person = ${person} AND message IS NOT NULL
        ORDER BY started_at DESC, id DESC LIMIT ${Math.max(0, limit)}`)
      return rows.map(toRecord)
    },
  }
}

/** Whoever finds them has them, until it dies as well. What their sub-turns still say is nobody's to hear any more. */
async function takeOver(tx: Statements): Promise<readonly TurnRow[]> {
  const rows = await tx.all<TurnRow & { readonly died: string | null }>(sql`
    UPDATE turns SET server = current_setting('application_name')
    FROM (SELECT id, server AS died FROM turns AS open WHERE ended_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM servers WHERE servers.id = open.server) FOR UPDATE) AS found
    WHERE turns.id = found.id RETURNING turns.*, died`)
  if (rows.length === 0) return []
  const servers = rows.map(({ died }) => died)
  const rooms = rows.map(({ room }) => room)
  await tx.run(sql`
    UPDATE turns SET server = current_setting('application_name')
    WHERE parent IS NOT NULL AND server = ANY(${servers}) AND room = ANY(${rooms})
      AND started_at >= ${Math.min(...rows.map((row) => row.started_at))}`)
  return rows
}

const insert = (row: TurnRow): Sql => sql`
  INSERT INTO turns (id, room, model, requester, parent, started_at, ended_at, outcome, input, cached,
    output, error, prompt, message, person)
  VALUES (${row.id}, ${row.room}, ${row.model}, ${row.requester}, ${row.parent}, ${row.started_at}, ${row.ended_at},
    ${row.outcome}, ${row.input}, ${row.cached}, ${row.output}, ${row.error}, ${row.prompt}, ${row.message}, ${row.person})`

const update = (row: TurnRow): Sql => sql`
  UPDATE turns SET room = ${row.room}, model = ${row.model}, requester = ${row.requester}, started_at = ${row.started_at},
    ended_at = ${row.ended_at}, outcome = ${row.outcome}, input = ${row.input}, cached = ${row.cached},
    output = ${row.output}, error = ${row.error}, prompt = ${row.prompt}
  WHERE id = ${row.id}`
