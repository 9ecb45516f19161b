import { type RawBuilder, sql } from 'kysely'
import { DAY_MS } from '../../base/amounts.ts'
import type { Calibration, CalibrationStore } from '../../wrap/index.ts'
import type { Charge, ChargeStore, Spender, Spending, UsageQuery, UsageRow } from '../../turns/index.ts'
import { type Database, type Dialect, integer, put, select } from '../database.ts'
import type { Tables } from '../tables.ts'

/** The tokens that each request to a model used. */
export function createChargeStore(database: Database): ChargeStore {
  const { dialect, read } = database
  const { write } = database.writes()
  return {
    add: ({ payers, ...charge }) =>
      write(async (db) => {
        const { at, usage } = charge
        await db.insertInto('charges').values(toCharge(charge)).execute()
        await db
          .deleteFrom('spendings')
          .where('at', '<', at - DAY_MS)
          .execute()
        await sql`INSERT INTO spendings (tokens, at, payer)
          SELECT ${integer(usage.input + usage.output)}, ${integer(at)}, payers.*
          FROM ${dialect.list(payers)} AS payers
        `.execute(db)
      }),
    spent: (of, after) =>
      read(async (db) => {
        const { rows } = await sql<Pick<Spending, 'tokens'>>`
          SELECT coalesce(sum(tokens), 0) AS tokens FROM (${requests(of, after)}) AS requests`.execute(db)
        return rows[0]?.tokens ?? 0
      }),
    spending: (of, after) =>
      select(
        database,
        sql`SELECT at, tokens FROM (${requests(of, after)}) AS requests WHERE tokens > 0 ORDER BY at`,
      ),
    usage: (query) =>
      read(async (db) => {
        const key = query.by === 'day' ? dialect.utcDay('at') : sql.ref(query.by)
        const { rows } = await sql<UsageSum>`
          SELECT ${key} AS key, sum(turns) AS turns, count(*) AS requests,
            sum(input) AS input, sum(cached) AS cached, sum(output) AS output,
            sum(input_estimated) AS input_estimated, sum(output_estimated) AS output_estimated,
            input_price, cached_price, output_price
          FROM charges WHERE at >= ${query.since} AND ${matchesQuery(query, dialect)}
          GROUP BY 1, input_price, cached_price, output_price`.execute(db)
        return rows.map(toUsage)
      }),
  }
}

type ChargeRow = Tables['charges']

function toCharge({ opensTurn, usage, price, ...charge }: Omit<Charge, 'payers'>): ChargeRow {
  const { input, cached = 0, output, estimated } = usage
  return {
    ...charge,
    turns: opensTurn ? 1 : 0,
    input,
    cached,
    output,
    input_estimated: estimated?.input ?? 0,
    output_estimated: estimated?.output ?? 0,
    input_price: price?.input ?? null,
    cached_price: price?.cached ?? null,
    output_price: price?.output ?? null,
  }
}

/** SQL of the requests of a payer or a room. One index has all the columns that it reads. */
const requests = (of: Spender, after: number): RawBuilder<Spending> =>
  'room' in of
    ? sql`SELECT at, input + output AS tokens FROM charges WHERE room = ${of.room} AND at > ${after}`
    : sql`SELECT at, tokens FROM spendings WHERE payer = ${of.payer} AND at > ${after}`

function matchesQuery(query: UsageQuery, { list }: Dialect): RawBuilder<boolean> {
  if ('room' in query) return sql`room = ${query.room}`
  if ('rooms' in query) return sql`room IN ${list(query.rooms)}`
  // The rule of chat/access.ts: a person may see public rooms, and rooms of which they are a member.
  return sql`room IN (SELECT name FROM rooms WHERE private = 0 OR EXISTS (SELECT 1 FROM members
    WHERE members.room = rooms.name AND members.person = ${query.viewer} AND membership <> 'invited'))`
}

/** The sum of charges with the same prices. */
type UsageSum = Omit<UsageRow, 'price' | 'estimated'> &
  Pick<ChargeRow, `${'input' | 'output'}_estimated` | `${'input' | 'cached' | 'output'}_price`>

function toUsage({
  input_price: input,
  cached_price: cached,
  output_price: output,
  input_estimated: read,
  output_estimated: written,
  ...rest
}: UsageSum): UsageRow {
  const sum = read + written > 0 ? { ...rest, estimated: { input: read, output: written } } : rest
  if (input === null || cached === null || output === null) return sum
  return { ...sum, price: { input, cached, output } }
}

/** The factors between our counts of tokens and the providers'. */
export function createCalibrationStore(database: Database): CalibrationStore {
  const { statement } = database.writes()
  return {
    async find(model) {
      const found = sql<Calibration>`
        SELECT factor, reports, doubted, at, most, most_at AS "mostAt" FROM calibrations WHERE model = ${model}`
      return (await select(database, found))[0]
    },
    put: (model, { factor, reports, doubted, at, most, mostAt }: Calibration) =>
      statement((db) => {
        const row = { model, factor, reports, doubted, at, most, most_at: mostAt }
        return put(db, 'calibrations', row, 'model')
      }),
  }
}
