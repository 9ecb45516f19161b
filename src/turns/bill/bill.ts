import type { Usage } from '../../chat/entry.ts'
import { quotaKeysOf } from '../../chat/limits.ts'
import { SYSTEM } from '../../chat/people/names.ts'
import type { Clock } from '../../chat/ports.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import type { OwnCount } from './own-count.ts'
import type { ChargeStore } from './ports.ts'
import type { CheckQuotas, Requester } from './token-quotas.ts'

/** What the requests of one turn cost, while it runs. */
export interface Bill {
  /** To be awaited before each request. Rejects with `Refusal` where a quota is used up, and with `StorageError`. */
  allow(): Promise<void>
  /** What a request used that its provider did not report in full. */
  readonly count: OwnCount
  /** Stores what a request used, at the model's prices of now. Rejects with `StorageError`. */
  charge(model: Pick<ModelSettings, 'name' | 'price'>, usage: Usage | undefined): Promise<void>
}

/** Opens the bill of one turn, or sub-turn, in a room; the server's own where nobody asks. */
export type OpenBill = (room: string, requester?: Requester) => Bill

/** A request that used nothing is counted among the requests. */
const NO_TOKENS: Usage = { input: 0, output: 0 }

export const createBills =
  (charges: Pick<ChargeStore, 'add'>, checkQuotas: CheckQuotas, count: OwnCount, clock: Clock): OpenBill =>
  (room, requester) => {
    const person = requester?.name ?? SYSTEM
    const payers = requester ? quotaKeysOf(requester).map(({ name }) => name) : []
    let opensTurn = true
    return {
      count,
      allow: () => checkQuotas(room, requester),
      async charge({ name: model, price }, usage = NO_TOKENS) {
        const charge = { at: clock.now(), room, person, payers, model, opensTurn, usage }
        opensTurn = false
        await charges.add({ ...charge, ...(price ? { price: { ...price } } : {}) })
      },
    }
  }
