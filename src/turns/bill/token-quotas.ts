import { Refusal } from '../../chat/errors.ts'
import { quotaKeysOf, type QuotaKey } from '../../chat/limits.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Clock } from '../../chat/ports.ts'
import { DAY_MS, duration } from '../../lib/duration.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import type { ChargeStore, Spender, Spending } from './ports.ts'

/** The keys of `[limits]` that bound what models may use in 24 hours; 0 for no bound. */
export interface QuotaLimits {
  readonly tokens_per_person_day: number
  readonly tokens_per_room_day: number
}

/** Whether what this model answers counts: the offline helper is no language model, and answers also where a quota is used up. */
export const usesTokens = ({ backend }: Pick<ModelSettings, 'backend'>): boolean => backend !== 'guide'

/** Whoever a model is asked for. */
export type Requester = Pick<Person, 'id' | 'name' | 'login'>

/**
 * Rejects with `Refusal` if what was asked for this person (nobody, where it is absent), by all names of their key, from
 * their network or in this room has used a quota up; with `StorageError` if that cannot be read. It is asked before each
 * request, and a request counts once it has ended: so a turn goes over a quota by its last request at most.
 */
export type CheckQuotas = (room: string, requester?: Requester) => Promise<void>

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
  return async (room, requester) => {
    const { tokens_per_person_day: perPerson, tokens_per_room_day: perRoom } = limits
    for (const payer of requester ? quotaKeysOf(requester) : [])
      await refuseOver(perPerson * payer.share, { payer: payer.name }, quotaOf(payer, requester?.name ?? ''))
    await refuseOver(perRoom, { room }, `the quota of ${room} (tokens_per_room_day)`)
  }
}

/** The room reads it too, so it tells no key and no address. */
function quotaOf({ kind, share }: QuotaKey, person: string): string {
  if (kind === 'person') return `the quota of ${person} (tokens_per_person_day)`
  if (kind === 'key') return `the quota of all names of ${person}'s key (tokens_per_person_day)`
  return `the quota of all who come from ${person}'s network (${share} times tokens_per_person_day)`
}

/** When enough of it is a day old, in milliseconds since the epoch. `spent` is oldest first. */
function freeAgainAt(spent: readonly Spending[], used: number, quota: number): number {
  let left = used
  const last = spent.find(({ tokens }) => (left -= tokens) < quota)
  return (last?.at ?? 0) + DAY_MS
}
