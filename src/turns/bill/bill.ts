import type { Usage } from '../../chat/entry.ts'
import type { Clock } from '../../chat/ports.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import type { Charge, ChargeStore } from './ports.ts'
import type { CheckQuotas } from './token-quotas.ts'

/** What the requests of one turn cost, while it runs. */
export interface Bill {
  /** To be awaited before each request. Rejects with `Refusal` where a quota is used up, and with `StorageError`. */
  allow(): Promise<void>
  /** Stores what a request used, at the model's prices of now. Rejects with `StorageError`. */
  charge(model: Pick<ModelSettings, 'name' | 'price'>, usage: Usage | undefined): Promise<void>
}

/** Opens the bill of one turn, or sub-turn. */
export type OpenBill = (of: Pick<Charge, 'room' | 'person'>) => Bill

/** A request for which the provider reported nothing is counted among the requests, with no tokens. */
const NOT_REPORTED: Usage = { input: 0, output: 0 }

export const createBills =
  (charges: Pick<ChargeStore, 'add'>, checkQuotas: CheckQuotas, clock: Clock): OpenBill =>
  ({ room, person }) => {
    let opensTurn = true
    return {
      allow: () => checkQuotas(room, person),
      async charge({ name: model, price }, usage = NOT_REPORTED) {
        const charge = { at: clock.now(), room, person, model, opensTurn, usage }
        opensTurn = false
        await charges.add({ ...charge, ...(price ? { price: { ...price } } : {}) })
      },
    }
  }
