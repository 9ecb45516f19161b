/** A list in the pipe of a wrap process. An item or list is sent once; later its number replaces it. */
export interface PackedList<T> {
  readonly list: number
  /** The items' numbers, in order; absent if the receiver has the list. */
  readonly items?: readonly number[]
  /** Items that were not sent before, each with its number. */
  readonly fresh?: readonly (readonly [number, T])[]
  /** True if the receiver must forget everything sent before. */
  readonly forget?: boolean
}

/** The number of lists that sender and receiver remember; a further list replaces the oldest. */
const MAX_LISTS = 64

interface SentItem<T> {
  readonly number: number
  readonly item: T
}

export class Sender<T> {
  readonly #keyOf: (item: T) => unknown
  readonly #isSame: (old: T, item: T) => boolean
  readonly #maxChars: number
  readonly #sent = new Map<unknown, SentItem<T>>()
  /** Each list's item numbers, joined. */
  readonly #lists: string[] = []
  #nextItem = 0
  #nextList = 0
  #chars = 0

  /** Items with one key are sent once if `isSame`. Both sides forget all after `maxChars` of JSON. */
  constructor(
    keyOf: (item: T) => unknown,
    isSame: (old: T, item: T) => boolean = () => true,
    maxChars = 8_000_000,
  ) {
    this.#keyOf = keyOf
    this.#isSame = isSame
    this.#maxChars = maxChars
  }

  /** Throws if an item cannot be written as JSON. Then no item of the list counts as sent. */
  pack(list: readonly T[]): PackedList<T> {
    const forget = this.#chars > this.#maxChars
    if (forget) this.#forget()
    const found = new Map<unknown, SentItem<T>>()
    const fresh: (readonly [number, T])[] = []
    const items = list.map((item) => {
      const key = this.#keyOf(item)
      const known = found.get(key) ?? this.#sent.get(key)
      if (known && this.#isSame(known.item, item)) return known.number
      const number = this.#nextItem++
      found.set(key, { number, item })
      fresh.push([number, item])
      return number
    })
    this.#chars += fresh.length > 0 ? JSON.stringify(fresh).length : 0
    for (const [key, sent] of found) this.#sent.set(key, sent)
    const joined = items.join()
    const known = this.#lists.indexOf(joined)
    if (known >= 0) return { list: known }
    const number = this.#nextList++ % MAX_LISTS
    this.#lists[number] = joined
    return { list: number, items, fresh, ...(forget ? { forget } : {}) }
  }

  #forget(): void {
    this.#sent.clear()
    this.#lists.length = 0
    this.#nextList = 0
    this.#chars = 0
  }
}

/** Unpacks lists. Equal numbers give the same object, for caches by object. Throws for an unknown number. */
export function createReceiver<T>(): (packed: PackedList<T>) => readonly T[] {
  const kept = new Map<number, T>()
  const lists: (readonly T[])[] = []
  const itemOf = (number: number): T => {
    const item = kept.get(number)
    if (item === undefined) throw new Error(`item ${number} was never sent`)
    return item
  }
  return ({ list, items, fresh = [], forget }) => {
    if (forget) {
      kept.clear()
      lists.length = 0
    }
    for (const [number, item] of fresh) kept.set(number, item)
    if (items) lists[list] = items.map(itemOf)
    const found = lists[list]
    if (!found) throw new Error(`list ${list} was never sent`)
    return found
  }
}
