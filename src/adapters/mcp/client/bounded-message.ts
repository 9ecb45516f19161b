import { setTimeout as wait } from 'node:timers/promises'
import { bytes } from '../../../lib/amounts.ts'
import { fullAfter, waitFor, type Rate } from '../../../lib/token-bucket.ts'

/** Parsing a message holds up the whole process: about 10 ms a MiB (JSON and checks, Node 20). */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** A message of more bytes than this has no end; its connection ends. */
const MAX_SKIPPED_BYTES = 64 * 1024 * 1024

/** Bytes of an overlong message that are kept, since its id may be in them. */
const HEAD_BYTES = 4_096

/** Messages of one server. Further ones wait, in the end in its pipe. */
const MESSAGE_RATE: Rate = { burst: 1_000, everyMs: 1 }

/** A message was longer than allowed. */
export class TooLong extends Error {
  override readonly name = 'TooLong'
  constructor() {
    super(`it sent a message of more than ${bytes(MAX_MESSAGE_BYTES)}`)
  }
}

/** A message as it came, or the beginning of one that was too long. */
export interface MessageText {
  readonly text: string
  readonly isCut: boolean
}

/**
 * Collects the pieces of one message. If it is too long, its images and sounds are replaced by their sizes, since
 * nobody here reads their bytes; if it is still too long, its beginning is kept. Throws `TooLong` at 64 MiB.
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

  /** Returns the message, and begins the next one. */
  take(): MessageText {
    const text = Buffer.concat(this.pieces).toString('utf8')
    const { isCut } = this
    this.pieces = []
    this.size = this.total = 0
    this.isCut = false
    return { text, isCut }
  }

  private shrink(): void {
    const json = Buffer.concat(this.pieces).toString('latin1')
    const short = Buffer.from(json.replaceAll(MEDIA, shortMedia), 'latin1')
    // Each shrinking reads the whole message, so a small gain is not worth another one.
    this.isCut = short.length > MAX_MESSAGE_BYTES / 2
    this.pieces = [this.isCut ? short.subarray(0, HEAD_BYTES) : short]
    this.size = short.length
  }
}

/** Base64, perhaps with a part that was replaced before. */
const MEDIA = /("(?:data|blob)"\s*:\s*")((?:[\w+/=\\-]|#\d+#){1024,})/g
const shortMedia = (_: string, before: string, base64: string): string => `${before}#${base64Length(base64)}#`

/** Characters of base64, including those that `BoundedMessage` replaced by their number. */
export function base64Length(base64: string): number {
  const replaced = [...base64.matchAll(/#(\d+)#/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  return base64.replaceAll(/#\d+#/g, '').length + replaced
}

/** Returns a function that takes bytes and gives the complete lines, without their ends. It throws `TooLong`. */
export function createLineSplitter(): (piece: Uint8Array) => Iterable<MessageText> {
  const line = new BoundedMessage()
  return function* (piece) {
    let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      line.add(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      yield line.take()
    }
    line.add(rest)
  }
}

/** Returns a function that resolves when the next message may be read. `slowed` is called once, when one has to wait. */
export function createMessagePace(slowed: () => void): () => Promise<void> {
  let fullAt = 0
  let isSlowed = false
  return async () => {
    const now = performance.now()
    fullAt = fullAfter(fullAt, now, MESSAGE_RATE.everyMs)
    const ms = waitFor(fullAt, now, MESSAGE_RATE)
    if (ms <= 0) return
    if (!isSlowed) slowed()
    isSlowed = true
    await wait(ms, undefined, { ref: false })
  }
}
