import type { Clock } from '../../chat/ports.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { DAY_MS } from '../../lib/duration.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { ChargeStore, Grouping, UsageQuery } from '../../turns/bill/ports.ts'
import { sumsByKey, total, type UsageSum } from '../../turns/bill/usage-sums.ts'
import { sumJson, usageLines, type UsageReport } from './shared/usage-report.ts'
import { type Command, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

/** Days that are added up where nobody says how many, and at most. */
const USUAL_DAYS = 7
const MAX_DAYS = 366

export const usageCommand = (
  charges: Pick<ChargeStore, 'usage'>,
  clock: Clock,
  rooms: Pick<Rooms, 'list'>,
): Command =>
  defineCommand({
    name: 'usage',
    summary: 'the tokens that models used and what they cost, by model, person, room and day',
    room: 'optional',
    flags: [
      { name: 'days', about: `of how many days: 1 to ${MAX_DAYS}, usually ${USUAL_DAYS}`, value: 'N' },
      { name: 'all', about: 'in a session: all rooms that you can see, not only this one' },
      JSON_FLAG,
    ],
    example: '--days 30',
    async run({ room: here, person, flags, out }) {
      const days = dayCount(flags.days)
      const since = clock.now() - days * DAY_MS
      const room = flags.all ? undefined : here
      // Those that the person is banned from are not among them.
      const seen = async () => (await rooms.list(person)).map(({ name }) => name)
      const where = room ? { room: room.name } : { rooms: await seen() }
      const report = await reportOn(charges, { ...where, since })
      const about = { room: room?.name ?? null, since: new Date(since).toISOString() }
      if (flags.json) return out.line(safeJson({ ...about, ...reportJson(report) }))
      for (const line of usageLines(report, { room: about.room, days })) out.line(line)
    },
  })

function dayCount(word: string | undefined): number {
  if (word === undefined) return USUAL_DAYS
  const days = /^\d{1,3}$/.test(word) ? Number(word) : 0
  if (days >= 1 && days <= MAX_DAYS) return days
  throw new Misuse(`--days takes a whole number from 1 to ${MAX_DAYS}, such as --days ${USUAL_DAYS}`)
}

type Charges = Pick<ChargeStore, 'usage'>
type Where = UsageQuery extends infer Query ? (Query extends unknown ? Omit<Query, 'by'> : never) : never

/** One reading for each grouping; what is charged between two of them is in the later ones only. */
async function reportOn(charges: Charges, where: Where): Promise<UsageReport> {
  const sums = async (by: Grouping): Promise<readonly UsageSum[]> =>
    sumsByKey(await charges.usage({ ...where, by }))
  const [models, people, rooms, days] = await Promise.all([
    sums('model'),
    sums('person'),
    sums('room'),
    sums('day'),
  ])
  return {
    total: total(models),
    models,
    people,
    rooms,
    days: days.toSorted((a, b) => (a.key < b.key ? 1 : -1)),
  }
}

const reportJson = ({ total: all, models, people, rooms, days }: UsageReport) => ({
  total: sumJson(all),
  models: models.map((sum) => ({ model: sum.key, ...sumJson(sum) })),
  people: people.map((sum) => ({ person: sum.key, ...sumJson(sum) })),
  rooms: rooms.map((sum) => ({ room: sum.key, ...sumJson(sum) })),
  days: days.map((sum) => ({ day: sum.key, ...sumJson(sum) })),
})
