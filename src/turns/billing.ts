import type { RoomName, Usage } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { type QuotaKey, quotaKeysOf } from '../chat/index.ts'
import { SYSTEM } from '../words/names.ts'
import type { Person, PersonId } from '../words/person.ts'
import { DAY_MS, duration } from '../base/amounts.ts'
import type { Clock } from '../base/environment.ts'
import { costOf, type Price } from '../base/price.ts'
import {
  type Calibrations,
  type CountedRequest,
  type ModelSettings,
  type Composer,
  WrapError,
} from '../wrap/index.ts'
import { addCosts, addUsage, type ReceivedAnswer } from '../wrap/loop/index.ts'

export interface Charge {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly room: string
  /** The requester's name. */
  readonly person: string
  readonly model: string
  /** Names of the quotas that it counts against (chat/limits.ts); none for the server's own requests. */
  readonly payers: readonly string[]
  /** True for the first request of a turn, so that turns can be counted. */
  readonly opensTurn: boolean
  readonly usage: Usage
  /** The model's prices at `at`; absent if the config has none. */
  readonly price?: Price
}

export type Grouping = 'model' | 'person' | 'room' | 'day'

/** Selects the charges of one room, of several rooms, or of all rooms that a person may see. */
export type UsageQuery = {
  readonly by: Grouping
  readonly since: number
} & ({ readonly room: RoomName } | { readonly rooms: readonly RoomName[] } | { readonly viewer: PersonId })

/** The sum of charges of one group at one price. */
export interface UsageRow {
  /** The name of the model, person or room, or the day as `2026-01-31` in UTC. */
  readonly key: string
  readonly turns: number
  readonly requests: number
  readonly input: number
  /** The part of `input` that providers had cached. */
  readonly cached: number
  readonly output: number
  /** The parts of `input` and `output` that no provider reported; absent if all were reported. */
  readonly estimated?: NonNullable<Usage['estimated']>
  readonly price?: Price
}

/** Whose usage a quota limits: a payer's (one of `Charge.payers`) or a room's. */
export type Spender = { readonly payer: string } | { readonly room: string }

export interface Spending {
  readonly at: number
  /** Input and output together. */
  readonly tokens: number
}

/** All methods reject with `StorageError` only. */
export interface ChargeStore {
  add(charge: Charge): Promise<void>
  /** Resolves to the tokens (input and output) used after a time. Payers' charges are stored for one day. */
  spent(of: Spender, after: number): Promise<number>
  /** As `spent`, but by request, oldest first, without requests of 0 tokens. */
  spending(of: Spender, after: number): Promise<readonly Spending[]>
  /** Resolves to sums by key and price, in no order. Nobody sees the charges of a room that is gone. */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>
}

interface BillParts {
  readonly charges: Pick<ChargeStore, 'add'>
  readonly checkQuotas: CheckQuotas
  readonly composer: Pick<Composer, 'count'>
  readonly calibrations: Pick<Calibrations, 'meanFactor'>
  readonly clock: Clock
}

/** Opens the bill of a turn or side turn; without a requester, it is the server's own. */
export type OpenBill = (room: string, requester?: Requester) => Bill

export const createBills =
  (parts: BillParts): OpenBill =>
  (room, requester) =>
    new Bill(room, requester, parts)

/** The usage of a request without tokens, which still counts as a request. */
const NO_TOKENS: Usage = { input: 0, output: 0 }

/** Characters per token of English, for text that the composer cannot count. */
const CHARACTERS_PER_TOKEN = 4

/** Charges the requests of one turn. All methods reject with `StorageError`. */
export class Bill {
  readonly #room: string
  readonly #requester: Requester | undefined
  readonly #parts: BillParts
  #opensTurn = true

  constructor(room: string, requester: Requester | undefined, parts: BillParts) {
    this.#room = room
    this.#requester = requester
    this.#parts = parts
  }

  /** Must be awaited before each request. Rejects with `Refusal` if a quota is used up. */
  async allow(): Promise<void> {
    await this.#parts.checkQuotas(this.#room, this.#requester)
  }

  /** Stores what a request used, at the model's current prices. */
  async charge({ name: model, price }: ModelSettings, usage = NO_TOKENS): Promise<void> {
    const { charges, clock } = this.#parts
    const requester = this.#requester
    const person = requester?.name ?? SYSTEM
    const payers = requester ? quotaKeysOf(requester).map(({ name }) => name) : []
    const charge = {
      at: clock.now(),
      room: this.#room,
      person,
      payers,
      model,
      opensTurn: this.#opensTurn,
      usage,
    }
    this.#opensTurn = false
    await charges.add({ ...charge, ...(price ? { price: { ...price } } : {}) })
  }

  /** Completes a provider's report by our own count; undefined for the offline helper (no language model). */
  async estimate(
    settings: ModelSettings,
    { counted }: CountedRequest,
    { text, reported }: ReceivedAnswer,
  ): Promise<Usage | undefined> {
    if (!usesTokens(settings)) return undefined
    const factor = await this.#parts.calibrations.meanFactor(settings)
    const input = reported.input ?? Math.round(counted * factor)
    // A report in the middle of an answer counts only what was written by then.
    const output = Math.max(reported.output ?? 0, await this.#tokensOf(text, settings.encoding))
    const estimated = { input: input - (reported.input ?? 0), output: output - (reported.output ?? 0) }
    const isEstimate = estimated.input + estimated.output > 0
    return {
      input,
      output,
      ...(reported.cached === undefined ? {} : { cached: reported.cached }),
      ...(isEstimate ? { estimated } : {}),
    }
  }

  async #tokensOf(text: string, encoding: string): Promise<number> {
    try {
      return text === '' ? 0 : ((await this.#parts.composer.count(encoding, [text]))[0] ?? 0)
    } catch (error) {
      if (!(error instanceof WrapError)) throw error
      return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
    }
  }
}

/** Keys of `[limits]` that bound the tokens of 24 hours; 0 for no bound. */
export interface QuotaLimits {
  readonly tokens_per_person_day: number
  readonly tokens_per_room_day: number
}

/** False for the offline helper, which answers also if a quota is used up. */
export const usesTokens = ({ backend }: Pick<ModelSettings, 'backend'>): boolean => backend !== 'guide'

export type Requester = Pick<Person, 'id' | 'name' | 'login'>

/**
 * Called before each request, which counts once it has ended: a turn exceeds a quota by one request at most.
 * Rejects with `Refusal` if a quota of the person, key, network or room is used up, or with `StorageError`.
 */
export type CheckQuotas = (room: string, requester?: Requester) => Promise<void>

/** Counts from the store, so that a restart changes nothing. */
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

/** The room may see this text, so it has no key and no address. */
function quotaOf({ kind, share }: QuotaKey, person: string): string {
  if (kind === 'person') return `the quota of ${person} (tokens_per_person_day)`
  if (kind === 'key') return `the quota of all names of ${person}'s key (tokens_per_person_day)`
  return `the quota of all who come from ${person}'s network (${share} times tokens_per_person_day)`
}

/** Returns the time in ms since the epoch when use falls below the quota. `spent` is oldest first. */
function freeAgainAt(spent: readonly Spending[], used: number, quota: number): number {
  let left = used
  const last = spent.find(({ tokens }) => (left -= tokens) < quota)
  return (last?.at ?? 0) + DAY_MS
}

export interface Spent {
  readonly usage: Usage
  /** In 10^-12 of a currency unit; absent if no model in the sum has a price. */
  readonly cost?: bigint
}

export const spentFor = (usage: Usage, price: Price | undefined): Spent => ({
  usage,
  ...(price ? { cost: costOf(usage, price) } : {}),
})

export function addSpent(sum: Spent | undefined, more: Spent): Spent {
  const cost = addCosts(sum?.cost, more.cost)
  return { usage: addUsage(sum?.usage, more.usage), ...(cost === undefined ? {} : { cost }) }
}
