import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { TurnId, Usage } from '../../words/entry.ts'
import { SYSTEM } from '../../words/names.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import type { Prompt } from '../../wrap/index.ts'
import type { SentStep, TurnRecord, TurnStore } from '../../turns/index.ts'
import { type Database, withoutNulls } from '../database.ts'
import { REQUESTS } from '../locks.ts'
import type { Tables } from '../tables.ts'
import { packRequest, putRequest, readRequests } from './requests.ts'

export type TurnRow = Tables['turns']

/** Lets only one server end a turn if several share the database. Runs in the caller's transaction. */
export interface TurnOwnership {
  /**
   * Throws `StorageError` if another server has taken over one of these turns. No server takes one over until
   * the transaction ends. Ignores turns that are not stored.
   */
  check(db: Kysely<Tables>, ids: readonly string[]): Promise<void>
  /** Assigns the unfinished turns of dead servers to this server. Resolves to them, in any order. */
  takeOver(db: Kysely<Tables>): Promise<readonly TurnRow[]>
}

export function createTurnStore({ dialect, read, writes }: Database, ownership?: TurnOwnership): TurnStore {
  const { write, statement } = writes()
  const serially = createSerial()
  /** Compresses before a transaction, which must not wait for it. Keeps the order of requests. */
  const pack = (value: Prompt | SentStep) => serially(() => packRequest(value))
  return {
    begin: (turn) =>
      statement(async (db) => void (await db.insertInto('turns').values(toRow(turn)).execute())),
    async finish(id, { prompt, ...change }) {
      const parts = prompt && (await pack(prompt))
      const store = async (db: Kysely<Tables>): Promise<number> => {
        const [row] = await select(db, sql`WHERE id = ${id} ${dialect.lockRow('update')}`)
        await ownership?.check(db, [id])
        if (!row) return 0
        const changed = toRow({ ...toRecord(row), ...change })
        await db.updateTable('turns').set(changed).where('id', '=', row.id).execute()
        return parts ? await putRequest(db, id, 0, parts) : 0
      }
      return await write(store, ...(parts ? [REQUESTS] : []))
    },
    async addStep(id, step) {
      const parts = await pack(step)
      return await write(async (db) => {
        await ownership?.check(db, [id])
        const last = db.selectFrom('turn_parts').select((of) => of.fn.max('step').as('step'))
        const [row] = await last.where('turn', '=', id as TurnId).execute()
        return await putRequest(db, id, 1 + (row?.step ?? 0), parts)
      }, REQUESTS)
    },
    find: (id) => read((db) => firstWithSteps(db, sql`WHERE id = ${id}`)),
    unfinished: async () => {
      const rows = await (ownership
        ? write(ownership.takeOver)
        : read((db) => select(db, sql`WHERE ended_at IS NULL ORDER BY id`)))
      return rows.map(toRecord).toSorted((a, b) => a.startedAt - b.startedAt)
    },
    last: (room, before) =>
      read((db) =>
        firstWithSteps(
          db,
          sql`WHERE room = ${room} AND requester <> ${SYSTEM} AND parent IS NULL ${before ? earlier(before) : sql``}
            ORDER BY started_at DESC, id DESC LIMIT 1`,
        ),
      ),
    asked: (room, person, limit) =>
      read(async (db) => {
        // Omits `prompt`, which may have a hundred thousand characters.
        const { rows } = await sql<TurnRow>`
          SELECT id, room, model, requester, started_at, ended_at, outcome, input, output, error, cached,
            parent, message, person, request_days, NULL AS prompt
          FROM turns WHERE room = ${room} AND person = ${person} AND message IS NOT NULL
          ORDER BY started_at DESC, id DESC LIMIT ${Math.max(0, limit)}`.execute(db)
        return rows.map(toRecord)
      }),
  }
}

const earlier = ({ id, model, startedAt }: Pick<TurnRecord, 'id' | 'model' | 'startedAt'>) =>
  sql`AND model = ${model} AND (started_at < ${startedAt} OR (started_at = ${startedAt} AND id < ${id}))`

async function select(db: Kysely<Tables>, rest: RawBuilder<unknown>): Promise<readonly TurnRow[]> {
  return (await sql<TurnRow>`SELECT * FROM turns ${rest}`.execute(db)).rows
}

async function firstWithSteps(
  db: Kysely<Tables>,
  rest: RawBuilder<unknown>,
): Promise<TurnRecord | undefined> {
  const [row] = await select(db, rest)
  if (!row) return undefined
  const old = db.selectFrom('turn_steps').select('sent').where('turn', '=', row.id)
  const rows = await old.orderBy('step').execute()
  const [first, ...later] = await readRequests(db, row.id)
  const steps = [...rows.map(({ sent }) => sent), ...later].map((sent) => JSON.parse(sent) as SentStep)
  return {
    ...toRecord(first === undefined ? row : { ...row, prompt: first }),
    ...(steps.length > 0 && { steps }),
  }
}

/** Omits the prompt, which is stored in `turn_parts`. */
const toRow = (turn: TurnRecord): Omit<TurnRow, 'prompt' | 'request_days'> => ({
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
  message: turn.message ?? null,
  person: turn.person ?? null,
})

const toRecord = (row: TurnRow): TurnRecord =>
  withoutNulls({
    id: row.id,
    room: row.room,
    model: row.model,
    requester: row.requester,
    parent: row.parent,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    outcome: row.outcome,
    usage: usageOf(row),
    error: row.error,
    message: row.message,
    person: row.person,
    requestDays: row.request_days,
    prompt: JSON.parse(row.prompt ?? 'null') as Prompt | null,
  })

const usageOf = ({ input, cached, output }: TurnRow): Usage | null =>
  input === null || output === null ? null : withoutNulls({ input, output, cached })
