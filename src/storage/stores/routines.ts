import { type Kysely, sql } from 'kysely'
import { DAY_MS } from '../../base/amounts.ts'
import type {
  NewRoutine,
  Routine,
  RoutinePlace,
  RoutineProgress,
  RoutineStore,
} from '../../turns/routines/index.ts'
import type { PersonId } from '../../words/person.ts'
import { changesRow, type Database, integer, requireRow, send } from '../database.ts'
import { numbersOf, personOf } from '../locks.ts'
import type { Tables } from '../tables.ts'

type Row = Tables['routines']

/** The time in ms for which an ended routine can be found by its number. */
const ENDED_MS = 30 * DAY_MS

export function createRoutineStore({ dialect, read, writes }: Database): RoutineStore {
  const { write, statement } = writes()
  return {
    add: (routine, most) =>
      write(
        async (db) => {
          await removeEnded(db, routine)
          if ((await countOpen(db, 'person', routine.person)) >= most.perPerson) return 'person'
          if (routine.room !== null && (await countOpen(db, 'room', routine.room)) >= most.perRoom)
            return 'room'
          const row = { ...rowOf(routine), number: (await lastNumber(db, routine)) + 1 }
          return toRoutine(
            requireRow(await db.insertInto('routines').values(row).returningAll().executeTakeFirst()),
          )
        },
        ...(routine.room === null ? [] : [numbersOf(routine.room)]),
        personOf(routine.person),
      ),
    find: (place, number) =>
      read(async (db) => {
        const query = db.selectFrom('routines').selectAll().where('number', '=', number)
        const row = await query.where(isIn(place)).executeTakeFirst()
        return row && toRoutine(row)
      }),
    byId: (id) =>
      read(async (db) => {
        const row = await db.selectFrom('routines').selectAll().where('id', '=', id).executeTakeFirst()
        return row && toRoutine(row)
      }),
    lastRung: (person) => read(async (db) => await lastRung(db, person)),
    list: (of) => read(async (db) => await listOpen(db, of)),
    activeFor: (room, people) =>
      read(async (db) => {
        const active = db.selectFrom('routines').selectAll().where('state', '=', 'active')
        const query = active.where(sql<boolean>`(room = ${room} OR person IN ${dialect.list(people)})`)
        return (await query.orderBy('id').execute()).map(toRoutine)
      }),
    upcoming: (most) =>
      read(async (db) => {
        const query = db.selectFrom('routines').selectAll().where('next_at', 'is not', null)
        return (await query.orderBy('next_at').orderBy('id').limit(most).execute()).map(toRoutine)
      }),
    claim: (id, { nextAt, by, ms }) =>
      write(async (db) => {
        const next = sql`FROM routines WHERE id = ${id} AND next_at = ${nextAt}
          AND coalesce(claim_until, 0) <= ${dialect.now}`
        const { rows } = await sql<Pick<Row, 'claimed_by'>>`
          SELECT claimed_by ${next} ${dialect.lockRow('update')}`.execute(db)
        if (!rows[0]) return undefined
        await sql`UPDATE routines SET claimed_by = ${by}, claim_until = ${dialect.now} + ${integer(ms)}
          WHERE id = ${id}`.execute(db)
        return rows[0].claimed_by === null ? 'claimed' : 'lapsed'
      }),
    update: (id, change, { state, claimedBy } = {}) =>
      statement((db) => {
        const columns = { ...columnsOf(change), claimed_by: null, claim_until: null }
        const changes = Object.entries(columns).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
        return changesRow(
          db,
          sql`UPDATE routines SET ${sql.join(changes)} WHERE id = ${id}
            AND state = coalesce(${state ?? null}, state)
            AND coalesce(claimed_by, '') = coalesce(${claimedBy ?? null}, claimed_by, '')`,
        )
      }),
    spend: (id, { day, tokens }) =>
      statement(async (db) => {
        await sql`UPDATE routines SET spent_day = ${day},
          spent = CASE spent_day WHEN ${day} THEN spent ELSE 0 END + ${tokens} WHERE id = ${id}`.execute(db)
      }),
    seen: (person, at) =>
      statement((db) => send(db.updateTable('routines').set({ seen_at: at }).where('person', '=', person))),
  }
}

/** A claimed routine rings now: its person sees it before `last_at` is stored. */
async function lastRung(db: Kysely<Tables>, person: PersonId): Promise<Routine | undefined> {
  const rangAt = sql<number | null>`CASE WHEN claimed_by IS NULL THEN last_at ELSE next_at END`
  const rung = db
    .selectFrom('routines')
    .selectAll()
    .where(isIn({ alone: person }))
    .where(rangAt, 'is not', null)
  const row = await rung.orderBy(rangAt, 'desc').orderBy('number', 'desc').limit(1).executeTakeFirst()
  return row && toRoutine(row)
}

async function listOpen(
  db: Kysely<Tables>,
  { room, person }: Parameters<RoutineStore['list']>[0],
): Promise<readonly Routine[]> {
  let open = db.selectFrom('routines').selectAll().where('state', '<>', 'ended')
  if (room !== undefined) open = open.where('room', '=', room)
  if (person !== undefined) open = open.where('person', '=', person)
  const byPlace = open
    .orderBy(sql`coalesce(room, '')`)
    .orderBy(sql`case when room is null then person else '' end`)
    .orderBy('number')
  return (await byPlace.execute()).map(toRoutine)
}

/** SQL of a condition: in a room, or without a room of this person. */
const isIn = (place: RoutinePlace) =>
  'room' in place
    ? sql<boolean>`room = ${place.room}`
    : sql<boolean>`room IS NULL AND person = ${place.alone}`

const placeOf = ({ room, person }: Pick<NewRoutine, 'room' | 'person'>): RoutinePlace =>
  room === null ? { alone: person } : { room }

async function lastNumber(db: Kysely<Tables>, routine: NewRoutine): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    SELECT coalesce(max(number), 0) AS last FROM routines WHERE ${isIn(placeOf(routine))}`.execute(db)
  return requireRow(rows[0]).last
}

/** Keeps the newest routine, so that its number is not given again. */
async function removeEnded(db: Kysely<Tables>, routine: NewRoutine): Promise<void> {
  const place = isIn(placeOf(routine))
  await sql`DELETE FROM routines WHERE ${place} AND state = 'ended' AND at < ${routine.at - ENDED_MS}
    AND coalesce(last_at, at) < ${routine.at - ENDED_MS}
    AND number < (SELECT max(number) FROM routines WHERE ${place})`.execute(db)
}

async function countOpen(db: Kysely<Tables>, column: 'person' | 'room', value: string): Promise<number> {
  const { rows } = await sql<{ open: number }>`SELECT count(*) AS open FROM routines
    WHERE ${sql.ref(column)} = ${value} AND state <> 'ended'`.execute(db)
  return requireRow(rows[0]).open
}

const rowOf = ({ condition, scope, runsLeft, nextAt, ...routine }: NewRoutine): Omit<Row, 'number'> => ({
  ...routine,
  kind: condition.kind,
  condition: JSON.stringify(condition),
  scope: scope && JSON.stringify(scope),
  runs_left: runsLeft,
  next_at: nextAt,
  state: 'active',
  reason: '',
  last_at: null,
  outcome: null,
  failures: 0,
  failing_at: null,
  seen_at: routine.at,
  spent: 0,
  spent_day: 0,
  claimed_by: null,
  claim_until: null,
})

const COLUMNS: Readonly<Record<keyof RoutineProgress, keyof Row>> = {
  state: 'state',
  reason: 'reason',
  runsLeft: 'runs_left',
  nextAt: 'next_at',
  lastAt: 'last_at',
  outcome: 'outcome',
  failures: 'failures',
  failingAt: 'failing_at',
}

const columnsOf = (change: Partial<RoutineProgress>): Partial<Row> =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [COLUMNS[name as keyof RoutineProgress], value]),
  )

function toRoutine(row: Row): Routine {
  const { kind: _kind, claimed_by: _by, claim_until: _until, spent, spent_day, seen_at, ...columns } = row
  const { condition, scope, runs_left, next_at, last_at, failing_at, ...routine } = columns
  return {
    ...routine,
    condition: JSON.parse(condition) as Routine['condition'],
    scope: scope === null ? null : (JSON.parse(scope) as readonly string[]),
    runsLeft: runs_left,
    nextAt: next_at,
    lastAt: last_at,
    failingAt: failing_at,
    seenAt: seen_at,
    spent: { day: spent_day, tokens: spent },
  }
}

/** SQL for a copy of a database: the original may still run its routines. */
export const PAUSE_ROUTINES = `UPDATE routines
  SET state = 'paused', reason = 'the database was copied or restored', next_at = NULL,
    claimed_by = NULL, claim_until = NULL
  WHERE state = 'active' OR next_at IS NOT NULL`
