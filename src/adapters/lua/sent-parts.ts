/**
 * A part of an answer that is often the same as in one before: it crosses once, from then on its number does.
 */
export interface SentPart<T> {
  readonly number: number
  /** Absent where the server has it. */
  readonly value?: T
}

/** Parts that both sides keep; when there are more, numbers begin again from 0, each with a new value. */
const MAX_PARTS = 32

/** The process's side. Texts are the same by what they say, lists where they are the same array. */
export function createPartSender<T>(): (value: T) => SentPart<T> {
  const numbers = new Map<T, number>()
  return (value) => {
    const known = numbers.get(value)
    if (known !== undefined) return { number: known }
    if (numbers.size >= MAX_PARTS) numbers.clear()
    const number = numbers.size
    numbers.set(value, number)
    return { number, value }
  }
}

/**
 * The server's side of one process. It must see every answer, in order. Throws for a number that never came.
 */
export function createPartReceiver<T>(): (part: SentPart<T>) => T {
  const values = new Map<number, T>()
  return ({ number, value = values.get(number) }) => {
    if (value === undefined) throw new Error(`part ${number} of an answer never came`)
    values.set(number, value)
    return value
  }
}
