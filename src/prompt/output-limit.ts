import { utf8Bytes } from '../lib/bytes.ts'

/** Bytes of layers that a script may return; more where the model's window holds more. */
const leastOutput = 256 * 1024
/** English has about five bytes a token, runs of one character a hundred and more; half may be lost to quoting. */
const bytesPerToken = 24

/** Bytes of JSON that may come back from the layers, for a target in tokens. */
export const outputLimit = (target: number): number => Math.max(leastOutput, target * bytesPerToken)

/**
 * Bytes of the conversation that the layers are given. Little enough that, quoted, it is never what goes over
 * the limit: no number of messages that have few tokens and many bytes can keep a room's models from answering.
 */
export const conversationLimit = (target: number): number => Math.floor(outputLimit(target) / 3)

/** The newest of these, given oldest first, that are together at most `most` bytes; the newest one in any case. */
export function newestWithin<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  most: number,
): readonly T[] {
  let left = most
  let first = items.length
  while (first > 0) {
    left -= utf8Bytes(textOf(items[first - 1]!))
    if (left < 0 && first < items.length) break
    first -= 1
  }
  return first === 0 ? items : items.slice(first)
}
