import type { ChargeStore, Grouping, Spending, UsageQuery } from '../../../../turns/bill/ports.ts'
import { DAY_MS } from '../../../../lib/duration.ts'
import { type ChargeRow, type SumRow, toRow, toUsage } from '../../rows/charge-row.ts'
import type { Connection } from '../connection.ts'

/** What each request to a model used. */
export function createChargeStore(connection: Connection): ChargeStore {
  const { read, write } = connection
  const sql = prepare(connection)
  return {
    add: ({ payers, ...charge }) =>
      write(() => {
        const { at, usage } = charge
        sql.insert.run(toRow(charge))
        sql.forget.run(at - DAY_MS)
        for (const payer of payers) sql.spend.run(payer, at, usage.input + usage.output)
      }),
    spent: (of, after) =>
      read(
        () =>
          ('room' in of ? sql.spentIn.get({ ...of, after }) : sql.spentBy.get({ ...of, after }))?.tokens ?? 0,
      ),
    spending: (of, after) =>
      read(() =>
        'room' in of ? sql.spendingIn.all({ ...of, after }) : sql.spendingBy.all({ ...of, after }),
      ),
    usage: (query) => read(() => sql.usage(query).map(toUsage)),
  }
}

interface After {
  readonly after: number
}

function prepare({ db }: Connection) {
  const usageIn = prepareUsage({ db }, 'room = @room')
  const usageOf = prepareUsage({ db }, 'room IN (SELECT value FROM json_each(@rooms))')
  const usageSeenBy = prepareUsage({ db }, VISIBLE)
  return {
    insert: db.prepare<[ChargeRow]>(
      `INSERT INTO charges (at, room, person, model, turns, input, cached, output,
         input_estimated, output_estimated, input_price, cached_price, output_price)
       VALUES (@at, @room, @person, @model, @turns, @input, @cached, @output,
         @input_estimated, @output_estimated, @input_price, @cached_price, @output_price)`,
    ),
    forget: db.prepare<[number]>('DELETE FROM spendings WHERE at < ?'),
    spend: db.prepare<[string, number, number]>('INSERT INTO spendings (payer, at, tokens) VALUES (?, ?, ?)'),
    spentIn: db.prepare<After & { room: string }, Pick<Spending, 'tokens'>>(
      `SELECT ifnull(sum(input + output), 0) AS tokens FROM charges WHERE room = @room AND at > @after`,
    ),
    spentBy: db.prepare<After & { payer: string }, Pick<Spending, 'tokens'>>(
      `SELECT ifnull(sum(tokens), 0) AS tokens FROM spendings WHERE payer = @payer AND at > @after`,
    ),
    spendingIn: db.prepare<After & { room: string }, Spending>(
      `SELECT at, input + output AS tokens FROM charges
       WHERE room = @room AND at > @after AND input + output > 0 ORDER BY at`,
    ),
    spendingBy: db.prepare<After & { payer: string }, Spending>(
      `SELECT at, tokens FROM spendings WHERE payer = @payer AND at > @after AND tokens > 0 ORDER BY at`,
    ),
    usage(query: UsageQuery) {
      if ('room' in query) return usageIn[query.by].all(query)
      if (!('rooms' in query)) return usageSeenBy[query.by].all(query)
      return usageOf[query.by].all({ ...query, rooms: JSON.stringify(query.rooms) })
    },
  }
}

/** Rooms that a person may see, as chat/visibility.ts has it: public ones, and those that they are a member of. */
const VISIBLE = `room IN (SELECT name FROM rooms WHERE NOT private
  OR EXISTS (SELECT 1 FROM members
             WHERE members.room = rooms.name AND members.person = @viewer AND membership <> 'invited'))`

const KEYS: { readonly [By in Grouping]: string } = {
  model: 'model',
  person: 'person',
  room: 'room',
  day: "date(at / 1000, 'unixepoch')",
}

/** What the statements are given: rooms are JSON. */
type UsageFacts = Pick<UsageQuery, 'since'> & {
  readonly room?: string
  readonly rooms?: string
  readonly viewer?: string
}

function prepareUsage({ db }: Pick<Connection, 'db'>, condition: string) {
  const by = (key: string) =>
    db.prepare<[UsageFacts], SumRow>(
      `SELECT ${key} AS key, sum(turns) AS turns, count(*) AS requests,
         sum(input) AS input, sum(cached) AS cached, sum(output) AS output,
         sum(input_estimated) AS input_estimated, sum(output_estimated) AS output_estimated,
         input_price, cached_price, output_price
       FROM charges WHERE at >= @since AND ${condition}
       GROUP BY 1, input_price, cached_price, output_price`,
    )
  return { model: by(KEYS.model), person: by(KEYS.person), room: by(KEYS.room), day: by(KEYS.day) }
}
