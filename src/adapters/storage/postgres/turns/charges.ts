import type { ChargeStore, Grouping, Spender, Spending, UsageQuery } from '../../../../turns/bill/ports.ts'
import { DAY_MS } from '../../../../lib/duration.ts'
import { type SumRow, toRow, toUsage } from '../../rows/charge-row.ts'
import type { Connections } from '../connection.ts'
import { utcDay } from '../day.ts'
import { sql, type Sql } from '../sql.ts'

/** What each request to a model used. */
export function createChargeStore({ read, writeQueue }: Connections): ChargeStore {
  const writes = writeQueue()
  return {
    async add({ payers, ...charge }) {
      const { at, usage } = charge
      const row = toRow(charge)
      // One statement, for it is made while a reply is shown.
      await writes.run(sql`
        WITH old AS (DELETE FROM spendings WHERE at < ${at - DAY_MS}),
          spent AS (INSERT INTO spendings (payer, at, tokens)
            SELECT payer, ${at}::bigint, ${usage.input + usage.output}::bigint FROM unnest(${payers}::text[]) AS payer)
        INSERT INTO charges (at, room, person, model, turns, input, cached, output,
          input_estimated, output_estimated, input_price, cached_price, output_price)
        VALUES (${row.at}, ${row.room}, ${row.person}, ${row.model}, ${row.turns}, ${row.input}, ${row.cached}, ${row.output},
          ${row.input_estimated}, ${row.output_estimated}, ${row.input_price}, ${row.cached_price}, ${row.output_price})`)
    },
    async spent(of, after) {
      const row = await read.get<Pick<Spending, 'tokens'>>(
        sql`SELECT coalesce(sum(tokens), 0) AS tokens FROM (${requests(of, after)}) AS spent`,
      )
      return row?.tokens ?? 0
    },
    spending: (of, after) =>
      read.all<Spending>(
        sql`SELECT at, tokens FROM (${requests(of, after)}) AS spent WHERE tokens > 0 ORDER BY at`,
      ),
    usage: async (query) => (await read.all<SumRow>(usage(query))).map(toUsage),
  }
}

const requests = (of: Spender, after: number): Sql =>
  'room' in of
    ? sql`SELECT at, input + output AS tokens FROM charges WHERE room = ${of.room} AND at > ${after}`
    : sql`SELECT at, tokens FROM spendings WHERE payer = ${of.payer} AND at > ${after}`

const KEYS: { readonly [By in Grouping]: Sql } = {
  model: sql`model`,
  person: sql`person`,
  room: sql`room`,
  day: utcDay,
}

const usage = (query: UsageQuery): Sql => sql`
  SELECT ${KEYS[query.by]} AS key, sum(turns) AS turns, count(*) AS requests,
    sum(input) AS input, sum(cached) AS cached, sum(output) AS output,
    sum(input_estimated) AS input_estimated, sum(output_estimated) AS output_estimated,
    input_price, cached_price, output_price
  FROM charges WHERE at >= ${query.since} AND ${within(query)}
  GROUP BY 1, input_price, cached_price, output_price`

function within(query: UsageQuery): Sql {
  if ('room' in query) return sql`room = ${query.room}`
  if ('rooms' in query) return sql`room = ANY(${query.rooms})`
  // Rooms that a person may see, as chat/visibility.ts has it: public ones, and those that they are a member of.
  return sql`room IN (SELECT name FROM rooms WHERE private = 0 OR EXISTS (SELECT 1 FROM members
    WHERE members.room = rooms.name AND members.person = ${query.viewer} AND membership <> 'invited'))`
}
