import { tokenFacts } from '../../words/entry-text.ts'
import { splitLabel } from '../../words/names.ts'
import { DAY_MS, counted } from '../../base/amounts.ts'
import { exactAmount, shownAmount } from '../../base/price.ts'
import {
  type Grouping,
  type UsageQuery,
  sumsByKey,
  total,
  type UsageSum,
  type Turns,
} from '../../turns/index.ts'
import { flag, JSON_FLAG } from '../command.ts'
import { iso, numberFlag, print, roomNames, verb, type Services } from './common.ts'

type Model = Awaited<ReturnType<Turns['models']>>[number]

export const models = verb({
  name: 'models',
  summary:
    'list the models that you can mention, and their usage in rooms that you can see; for a room, also its personas',
  room: 'optional',
  flags: [JSON_FLAG],
  example: '--json',
  async run(context, { turns }) {
    const models = await turns.models(context.person)
    const personas = context.room ? await turns.personas.list(context.room.name) : []
    const shown = personas.map(({ name, model }) => `@${name}  a persona of @${model} in this room; /persona`)
    print(context, models, [...models.map(modelLine), ...shown])
  },
})

function modelLine(model: Model): string {
  const { name, backend, turns, input, cached, output, fallback, enabled, lacks, calibration = 1 } = model
  const read = cached > 0 ? `${input} tokens read (${cached} of them cached)` : `${input} tokens read`
  const facts = [
    `@${name}  ${backend} ${model.model}, ${windowOf(model)}`,
    `${counted(turns, 'turn')}, ${read}, ${output} written`,
    // Learned from reports and refusals: the provider counts more tokens than sshawl, or has a smaller window
    // than it states.
    calibration !== 1 && countedAbove(calibration),
    fallback !== undefined && `where it fails, @${fallback} is asked`,
    model.isOutputLimited && `answers of at most ${model.maxOutput} tokens: its server takes no more`,
    lacks?.tools !== undefined && `no tools: ${lacks.tools}`,
    lacks?.systemRole !== undefined && `no system message: ${lacks.systemRole}`,
    lacks?.pictures !== undefined && `no pictures: ${lacks.pictures}`,
    refusedParts(lacks),
    model.isDoubted &&
      'what its server reports looks cut off: it may read only a part of each prompt; check its window',
  ]
  return `${facts.filter(Boolean).join('; ')}${enabled ? '' : '  (disabled)'}`
}

/** Returns the request parts that a server refuses, for admins. */
function refusedParts({ fields = {}, toolIds = {} }: NonNullable<Model['lacks']> = {}): string | undefined {
  const parts = [
    ...Object.entries(fields).map(([field, why]) => `without ${field}: ${why}`),
    ...Object.entries(toolIds).map(([id, why]) => `without the tool ${id}: ${why}`),
  ]
  return parts.length === 0 ? undefined : `${parts.join('; ')}; sshawl reload tries all of it again`
}

function windowOf({ contextWindow, configuredWindow, isWindowGuessed = false }: Model): string {
  if (contextWindow >= configuredWindow) return `window ${contextWindow}`
  const why = isWindowGuessed ? 'a guess, since a longer prompt was refused' : 'its server takes no more'
  return `window ${contextWindow} (not ${configuredWindow}: ${why})`
}

const DAYS = { fallback: 7, most: 366 }

export const usage = verb({
  name: 'usage',
  summary: 'show the tokens and the cost of models, by model, person, room and day',
  room: 'optional',
  flags: [
    flag('days', `the last N days: 1 to ${DAYS.most}, ${DAYS.fallback} by default`, { value: 'N' }),
    flag('all', 'in a session: sums up all rooms that you can see, not only this one'),
    JSON_FLAG,
  ],
  example: '--days 30',
  async run(context, { stores, clock, rooms }) {
    const { room: here, person, flags } = context
    const days = numberFlag('--days', flags.days, DAYS)
    const since = clock.now() - days * DAY_MS
    const room = (flags.all ? undefined : here)?.name
    // `roomNames` omits rooms from which the person is banned.
    const where = room === undefined ? { rooms: await roomNames({ person }, { rooms }) } : { room }
    const report = await reportOn(stores.models.charges, { ...where, since })
    const json = { room: room ?? null, since: iso(since), ...reportJson(report) }
    print(context, json, usageLines(report, room, days))
  },
})

type UsageReport = Awaited<ReturnType<typeof reportOn>>

type UsageScope = UsageQuery extends infer Query ? (Query extends unknown ? Omit<Query, 'by'> : never) : never

/**
 * Sums charges in four groupings, days newest first. Reads once for each grouping, so that a charge between
 * two reads is only in the later groupings.
 */
async function reportOn(charges: Services['stores']['models']['charges'], where: UsageScope) {
  const sums = async (by: Grouping) => sumsByKey(await charges.usage({ ...where, by }))
  const [models, people, rooms, days] = await Promise.all([
    sums('model'),
    sums('person'),
    sums('room'),
    sums('day'),
  ])
  const newestFirst = days.toSorted((a, b) => (a.key < b.key ? 1 : -1))
  return { total: total(models), models, people, rooms, days: newestFirst }
}

const reportJson = ({ total: all, models, people, rooms, days }: UsageReport) => ({
  total: sumJson(all),
  models: models.map((sum) => ({ ...splitLabel(sum.key), ...sumJson(sum) })),
  people: people.map((sum) => ({ person: sum.key, ...sumJson(sum) })),
  rooms: rooms.map((sum) => ({ room: sum.key, ...sumJson(sum) })),
  days: days.map((sum) => ({ day: sum.key, ...sumJson(sum) })),
})

/** `cost` is an exact decimal number as a string, or null if nothing had a price. */
const sumJson = ({ turns, requests, input, cached, output, estimated, cost, unpriced }: UsageSum) => ({
  turns,
  requests,
  input,
  cached,
  output,
  unpriced,
  estimated: estimated ?? { input: 0, output: 0 },
  cost: cost === undefined ? null : exactAmount(cost),
})

/** Returns a report for people. `room` is undefined for all rooms that the person can see. */
function usageLines(report: UsageReport, room: string | undefined, days: number): readonly string[] {
  const when = days === 1 ? 'the last day' : `the last ${days} days`
  const where = room ?? 'all rooms that you can see'
  if (report.total.requests === 0) return [`no model was asked in ${where} in ${when}`]
  return [
    `${where}, ${when}: ${factsOf(report.total)}`,
    ...section('by model', report.models, '@'),
    ...section('by person', report.people),
    ...(room === undefined ? section('by room', report.rooms) : []),
    ...section('by day (UTC)', report.days),
  ]
}

const MAX_LINES = 31

function section(title: string, sums: readonly UsageSum[], mark = ''): readonly string[] {
  const shown = sums.slice(0, MAX_LINES)
  const width = Math.max(...shown.map(({ key }) => key.length + mark.length))
  const left = sums.length - shown.length
  return [
    title,
    ...shown.map((sum) => `  ${(mark + sum.key).padEnd(width)}  ${factsOf(sum)}`),
    ...(left > 0 ? [`  … and ${left} more; --json has all`] : []),
  ]
}

/** `2 turns, 3 requests, 1234 tokens in (1000 cached), 56 out, cost 0.0123`. */
function factsOf({ turns, requests, input, cached, output, estimated, cost, unpriced }: UsageSum): string {
  const partly = unpriced > 0 ? ` (${unpriced} tokens had no price)` : ''
  return [
    counted(turns, 'turn'),
    counted(requests, 'request'),
    ...tokenFacts({ input, output, ...(cached > 0 && { cached }), ...(estimated && { estimated }) }),
    ...(cost === undefined ? [] : [`cost ${shownAmount(cost)}${partly}`]),
  ].join(', ')
}

/** Returns `its tokens are counted 1% above ours`, the provider's count compared with sshawl's. */
function countedAbove(calibration: number): string | undefined {
  const percent = Math.round((calibration - 1) * 100)
  if (percent === 0) return undefined
  return `its tokens are counted ${Math.abs(percent)}% ${percent < 0 ? 'below' : 'above'} ours`
}
