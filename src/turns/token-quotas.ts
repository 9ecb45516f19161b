import { Refusal } from '../chat/errors.ts'
import type { Clock } from '../chat/ports.ts'
import { DAY_MS, duration } from '../lib/duration.ts'
import type { Spending, TurnStore } from './ports.ts'

/** The keys of `[limits]` that bound what models may use in 24 hours; 0 for no bound. */
export interface QuotaLimits {
  readonly tokens_per_person_day: number
  readonly tokens_per_room_day: number
}

/**
 * Rejects with `Refusal` if the turns that this person started (nobody, where it is absent), or those of this room, have used a quota up; with
 * `StorageError` if that cannot be read. A turn counts once it has ended, from its start on, so that the one that
 * goes over a quota still ends.
 */
export type CheckQuotas = (room: string, requester?: string) => Promise<void>

/** The quotas are counted from the store: a restart changes nothing. */
export function createTokenQuotas(
  turns: Pick<TurnStore, 'spending'>,
  clock: Clock,
  limits: QuotaLimits,
): CheckQuotas {
  async function refuseOver(quota: number, whose: Parameters<TurnStore['spending']>[0], who: string) {
    if (quota === 0) return
    const spent = await turns.spending(whose, clock.now() - DAY_MS)
    const used = sum(spent)
    if (used < quota) return
    const left = duration(freeAgainAt(spent, used, quota) - clock.now())
    throw new Refusal(`${who} used ${used} of ${quota} tokens in 24 hours; ask again in ${left}`)
  }
  return async (room, requester) => {
    const { tokens_per_person_day: perPerson, tokens_per_room_day: perRoom } = limits
    if (requester !== undefined)
      await refuseOver(perPerson, { requester }, 'your quota (tokens_per_person_day) is used up: you have')
    await refuseOver(perRoom, { room }, `the quota of ${room} (tokens_per_room_day) is used up: it has`)
  }
}

const sum = (spent: readonly Spending[]): number => spent.reduce((all, { tokens }) => all + tokens, 0)

/** When enough of it is a day old, in milliseconds since the epoch. `spent` is oldest first. */
function freeAgainAt(spent: readonly Spending[], used: number, quota: number): number {
  let left = used
  const last = spent.find(({ tokens }) => (left -= tokens) < quota)
  return (last?.startedAt ?? 0) + DAY_MS
}
