import type {
  Charge,
  ChargeStore,
  Grouping,
  Spending,
  UsageQuery,
  UsageRow,
} from '../../../../turns/bill/ports.ts'
import type { Connection } from '../connection.ts'

type Prices = Record<'input_price' | 'cached_price' | 'output_price', number | null>

type ChargeRow = Omit<Charge, 'opensTurn' | 'usage' | 'price'> &
  Prices & { readonly turns: 0 | 1; readonly input: number; readonly cached: number; readonly output: number }

type SumRow = Omit<UsageRow, 'price'> & Prices

/** What each request to a model used. */
export function createChargeStore(connection: Connection): ChargeStore {
  const { read, write } = connection
  const sql = prepare(connection)
  return {
    add: (charge) => write(() => void sql.insert.run(toRow(charge))),
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
  const usageSeenBy = prepareUsage({ db }, VISIBLE)
  return {
    insert: db.prepare<[ChargeRow]>(
      `INSERT INTO charges (at, room, person, model, turns, input, cached, output,
         input_price, cached_price, output_price)
       VALUES (@at, @room, @person, @model, @turns, @input, @cached, @output,
         @input_price, @cached_price, @output_price)`,
    ),
    spentIn: db.prepare<After & { room: string }, Pick<Spending, 'tokens'>>(spentSql('room')),
    spentBy: db.prepare<After & { person: string }, Pick<Spending, 'tokens'>>(spentSql('person')),
    spendingIn: db.prepare<After & { room: string }, Spending>(spendingSql('room')),
    spendingBy: db.prepare<After & { person: string }, Spending>(spendingSql('person')),
    usage: (query: UsageQuery) =>
      'room' in query ? usageIn[query.by].all(query) : usageSeenBy[query.by].all(query),
  }
}

const spentSql = (column: 'room' | 'person'): string =>
  `SELECT ifnull(sum(input + output), 0) AS tokens FROM charges WHERE ${column} = @${column} AND at > @after`

const spendingSql = (column: 'room' | 'person'): string =>
  `SELECT at, input + output AS tokens FROM charges
   WHERE ${column} = @${column} AND at > @after AND input + output > 0 ORDER BY at`

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

function prepareUsage({ db }: Pick<Connection, 'db'>, condition: string) {
  const by = (key: string) =>
    db.prepare<[UsageQuery], SumRow>(
      `SELECT ${key} AS key, sum(turns) AS turns, count(*) AS requests,
         sum(input) AS input, sum(cached) AS cached, sum(output) AS output, input_price, cached_price, output_price
       FROM charges WHERE at >= @since AND ${condition}
       GROUP BY 1, input_price, cached_price, output_price`,
    )
  return { model: by(KEYS.model), person: by(KEYS.person), room: by(KEYS.room), day: by(KEYS.day) }
}

const toRow = ({ at, room, person, model, opensTurn, usage, price }: Charge): ChargeRow => ({
  at,
  room,
  person,
  model,
  turns: opensTurn ? 1 : 0,
  input: usage.input,
  cached: usage.cached ?? 0,
  output: usage.output,
  input_price: price?.input ?? null,
  cached_price: price?.cached ?? null,
  output_price: price?.output ?? null,
})

function toUsage({
  input_price: input,
  cached_price: cached,
  output_price: output,
  ...sum
}: SumRow): UsageRow {
  if (input === null || cached === null || output === null) return sum
  return { ...sum, price: { input, cached, output } }
}
