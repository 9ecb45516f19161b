import { setTimeout as wait } from 'node:timers/promises'
import { bytes } from '../../../lib/bytes.ts'
import { fullAfter, waitFor } from '../../../lib/token-bucket.ts'
import { MAX_MESSAGE_BYTES, MAX_SKIPPED_BYTES, MESSAGE_RATE } from './limits.ts'

/** A message was longer than any may be. */
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

/** A message as it came, or the beginning of one that was too long. */
export interface MessageText {
  readonly text: string
  readonly isCut: boolean
}

/**
 * Puts a message together, up to the bound. Of one that is longer, the images and sounds are replaced by their sizes, since nobody
 * here reads their bytes; if it is too long even so, its beginning is kept. Throws `TooLong` where it has no end at all.
 */
export class BoundedMessage {
  private pieces: Buffer[] = []
  private size = 0
  private total = 0
  private isCut = false

  add(piece: Buffer): void {
    this.total += piece.length
    if (this.total > MAX_SKIPPED_BYTES) throw new TooLong()
    if (this.isCut) return
    this.pieces.push(piece)
    this.size += piece.length
    if (this.size > MAX_MESSAGE_BYTES) this.shrink()
  }

  take(): MessageText {
    const taken = { text: Buffer.concat(this.pieces).toString('utf8'), isCut: this.isCut }
    this.pieces = []
    this.size = 0
    this.total = 0
    this.isCut = false
    return taken
  }

  private shrink(): void {
    const short = Buffer.from(withoutMedia(Buffer.concat(this.pieces).toString('latin1')), 'latin1')
    // Each shrinking reads all of it: what saves little is not worth the next one.
    this.isCut = short.length > MAX_MESSAGE_BYTES / 2
    this.pieces = [this.isCut ? short.subarray(0, HEAD_BYTES) : short]
    this.size = short.length
  }
}

/** Bytes of a message that was too long, in which its id may be. */
const HEAD_BYTES = 4_096

const withoutMedia = (json: string): string =>
  json.replaceAll(
    /("(?:data|blob)"\s*:\s*")((?:[\w+/=\\-]|#\d+#){1024,})/g,
    (_, before: string, base64: string) => `${before}#${base64Length(base64)}#`,
  )

/** Characters of base64, also of what was replaced by their number. */
export function base64Length(base64: string): number {
  let replaced = 0
  const rest = base64.replaceAll(/#(\d+)#/g, (_, count: string) => {
    replaced += Number(count)
    return ''
  })
  return rest.length + replaced
}

/** Takes bytes piece by piece, and gives the lines that are whole, without their ends. Throws `TooLong`. */
export function createLineSplitter(): (piece: Buffer) => Iterable<MessageText> {
  const line = new BoundedMessage()
  return function* (piece) {
    let rest = piece
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF)) {
      line.add(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      yield line.take()
    }
    line.add(rest)
  }
}

const LF = 10
