/**
 * What models cost: a charge for each request, sums of charges, and the quotas that bound them.
 * This folder must not know how a model is asked, how a sum is printed or who may see which room.
 */
import type { RoomName, Usage } from '../../chat/entry.ts'
import type { PersonId } from '../../chat/people/person.ts'
import type { Price } from '../../lib/price.ts'

/** What one request to a model used. */
export interface Charge {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly room: string
  /** The name of the one for whom the model was asked. */
  readonly person: string
  /** The model's name. */
  readonly model: string
  /** The names of all whose quota it uses up (chat/limits.ts); none for what the server itself asks. */
  readonly payers: readonly string[]
  /** True for the first request of a turn, so that turns can be counted. */
  readonly opensTurn: boolean
  readonly usage: Usage
  /** The prices of that time; absent where the config has none. */
  readonly price?: Price
}

/** By what usage is added up. */
export type Grouping = 'model' | 'person' | 'room' | 'day'

/** Which charges to add up: those of one room, of these rooms, or of all rooms that a person may see. */
export type UsageQuery = {
  readonly by: Grouping
  /** Milliseconds since the epoch. */
  readonly since: number
} & ({ readonly room: RoomName } | { readonly rooms: readonly RoomName[] } | { readonly viewer: PersonId })

/** The sum of charges of one group at one price. */
export interface UsageRow {
  /** The name of the model, person or room, or the day as `2026-01-31` in UTC. */
  readonly key: string
  readonly turns: number
  readonly requests: number
  readonly input: number
  /** Of `input`, what providers had cached. */
  readonly cached: number
  readonly output: number
  /** Of these, what no provider reported; absent where all was reported. */
  readonly estimated?: NonNullable<Usage['estimated']>
  readonly price?: Price
}

/** Whose use a quota bounds: somebody's who pays (the name of a payer), or a room's. */
export type Spender = { readonly payer: string } | { readonly room: string }

/** What one request used. */
export interface Spending {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Read and written together. */
  readonly tokens: number
}

/** Charges on disk. All methods reject with `StorageError` only. */
export interface ChargeStore {
  add(charge: Charge): Promise<void>
  /** Tokens, read and written together, that were used after a time; of payers, the last day is kept. */
  spent(of: Spender, after: number): Promise<number>
  /** The same request by request, oldest first, without those of 0. */
  spending(of: Spender, after: number): Promise<readonly Spending[]>
  /** Sums by key and price, in no order. Of a room that is gone, nobody sees anything. */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>
}
