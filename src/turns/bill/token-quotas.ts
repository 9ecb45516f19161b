import { Refusal } from '../../chat/errors.ts'
import type { Clock } from '../../chat/ports.ts'
import { DAY_MS, duration } from '../../lib/duration.ts'
import type { ChargeStore, Spender, Spending } from './ports.ts'

/** The keys of `[limits]` that bound what models may use in 24 hours; 0 for no bound. */
export interface QuotaLimits {
  readonly tokens_per_person_day: number
  readonly tokens_per_room_day: number
}

/**
 * Rejects with `Refusal` if what was asked for this person (nobody, where it is absent), or in this room, has used a quota up; with `StorageError` if
 * that cannot be read. It is asked before each request, and a request counts once it was answered: so a turn goes over a
 * quota by its last request at most.
 */
export type CheckQuotas = (room: string, person?: string) => Promise<void>

/** The quotas are counted from the store: a restart changes nothing. */
export function createTokenQuotas(
  charges: Pick<ChargeStore, 'spent' | 'spending'>,
  clock: Clock,
  limits: QuotaLimits,
): CheckQuotas {
  async function refuseOver(quota: number, of: Spender, whose: string): Promise<void> {
    if (quota === 0) return
    const after = clock.now() - DAY_MS
    const used = await charges.spent(of, after)
    if (used < quota) return
    const freeAt = freeAgainAt(await charges.spending(of, after), used, quota)
    const left = duration(freeAt - clock.now())
    throw new Refusal(`${whose} is used up: ${used} of ${quota} tokens in 24 hours; ask again in ${left}`)
  }
  return async (room, person) => {
    const { tokens_per_person_day: perPerson, tokens_per_room_day: perRoom } = limits
    if (person !== undefined)
      await refuseOver(perPerson, { person }, `the quota of ${person} (tokens_per_person_day)`)
    await refuseOver(perRoom, { room }, `the quota of ${room} (tokens_per_room_day)`)
  }
}

/** When enough of it is a day old, in milliseconds since the epoch. `spent` is oldest first. */
function freeAgainAt(spent: readonly Spending[], used: number, quota: number): number {
  let left = used
  const last = spent.find(({ tokens }) => (left -= tokens) < quota)
  return (last?.at ?? 0) + DAY_MS
}
