import { tokenFacts } from '../../../chat/entry-text.ts'
import { exactAmount, shownAmount } from '../../../lib/price.ts'
import { counted } from '../../../lib/plural.ts'
import type { UsageSum } from '../../../turns/bill/usage-sums.ts'

/** Sums of the same charges in four groupings; the days are newest first. */
export interface UsageReport {
  readonly total: UsageSum
  readonly models: readonly UsageSum[]
  readonly people: readonly UsageSum[]
  readonly rooms: readonly UsageSum[]
  readonly days: readonly UsageSum[]
}

/** Lines of one group that people are shown; JSON has all. */
const MAX_LINES = 31

/** A report for people. `room` is null where it is of all rooms that somebody can see. */
export function usageLines(
  { total, models, people, rooms, days }: UsageReport,
  about: { readonly room: string | null; readonly days: number },
): readonly string[] {
  const when = about.days === 1 ? 'the last day' : `the last ${about.days} days`
  const where = about.room ?? 'all rooms that you can see'
  if (total.requests === 0) return [`no model was asked in ${where} in ${when}`]
  return [
    `${where}, ${when}: ${facts(total)}`,
    ...section('by model', models, '@'),
    ...section('by person', people),
    ...(about.room === null ? section('by room', rooms) : []),
    ...section('by day (UTC)', days),
  ]
}

function section(title: string, sums: readonly UsageSum[], mark = ''): readonly string[] {
  const shown = sums.slice(0, MAX_LINES)
  const width = Math.max(...shown.map(({ key }) => key.length + mark.length))
  const left = sums.length - shown.length
  return [
    title,
    ...shown.map((sum) => `  ${(mark + sum.key).padEnd(width)}  ${facts(sum)}`),
    ...(left > 0 ? [`  … and ${left} more; --json has all`] : []),
  ]
}

/** `2 turns, 3 requests, 1234 tokens in (1000 cached), 56 out, cost 0.0123`. */
function facts({ turns, requests, input, cached, output, estimated, cost, unpriced }: UsageSum): string {
  const partly = unpriced > 0 ? ` (${unpriced} tokens had no price)` : ''
  return [
    counted(turns, 'turn'),
    counted(requests, 'request'),
    ...tokenFacts({ input, output, ...(cached > 0 && { cached }), ...(estimated && { estimated }) }),
    ...(cost === undefined ? [] : [`cost ${shownAmount(cost)}${partly}`]),
  ].join(', ')
}

/** A sum as scripts read it: the cost is a decimal number in a text, exact, or null where nothing had a price. */
export const sumJson = ({ turns, requests, input, cached, output, estimated, cost, unpriced }: UsageSum) => ({
  turns,
  requests,
  input,
  cached,
  output,
  unpriced,
  estimated: estimated ?? { input: 0, output: 0 },
  cost: cost === undefined ? null : exactAmount(cost),
})
