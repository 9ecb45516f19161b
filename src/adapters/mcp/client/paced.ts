import { setTimeout as wait } from 'node:timers/promises'
import { bytes } from '../../../lib/bytes.ts'
import { fullAfter, waitFor } from '../../../lib/token-bucket.ts'
import { MAX_MESSAGE_BYTES, MESSAGE_RATE } from './limits.ts'

/** A message was longer than any may be. What follows it cannot be told apart from it any more. */
export class TooLong extends Error {
  override readonly name = 'TooLong'
  constructor() {
    super(`it sent a message of more than ${bytes(MAX_MESSAGE_BYTES)}`)
  }
}

/** Resolves when one more message may be read: at once, unless very many came; then `slowed` is told. */
export function createMessagePace(slowed: () => void): () => Promise<void> {
  let fullAt = 0
  return async () => {
    const now = performance.now()
    fullAt = fullAfter(fullAt, now, MESSAGE_RATE.everyMs)
    const ms = waitFor(fullAt, now, MESSAGE_RATE)
    if (ms <= 0) return
    slowed()
    await wait(ms, undefined, { ref: false })
  }
}

/** Takes bytes piece by piece, and gives the lines that are whole, without their ends. Throws `TooLong`. */
export function createLineSplitter(): (piece: Buffer) => Iterable<string> {
  let begun: Buffer[] = []
  let size = 0

  function keep(part: Buffer): void {
    size += part.length
    if (size > MAX_MESSAGE_BYTES) throw new TooLong()
    begun.push(part)
  }

  return function* (piece) {
    let rest = piece
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF)) {
      keep(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      yield Buffer.concat(begun).toString('utf8')
      begun = []
      size = 0
    }
    keep(rest)
  }
}

const LF = 10
