import { createSerial } from '../../base/jobs/serial.ts'
import type { Account } from '../../base/jobs/scheduler.ts'

/** A paste may be sent line by line, and a ^C after it must still be read. */
const MAX_LINES = 1_000
const MAX_UNITS = 131_072

/** Submits the lines that a person entered, one after the other. */
export class LineQueue {
  readonly #account: Account
  readonly #submit: (line: string) => Promise<void>
  readonly #isOver: () => boolean
  readonly #oneByOne = createSerial()
  #waiting: string[] = []
  #units = 0

  /** `submit` never rejects. Once `isOver`, no further line begins. */
  constructor(account: Account, submit: (line: string) => Promise<void>, isOver: () => boolean) {
    this.#account = account
    this.#submit = submit
    this.#isOver = isOver
  }

  add(line: string): void {
    this.#waiting.push(line)
    this.#units += line.length
    void this.#oneByOne(() => this.#submitNext())
  }

  /** Drops the lines that have not begun, and returns how many. */
  drop(): number {
    this.#units = 0
    return this.#waiting.splice(0).length
  }

  get waiting(): readonly string[] {
    return this.#waiting
  }

  /** True if no more input should be read before some lines are done. */
  get isFull(): boolean {
    return this.#waiting.length > MAX_LINES || this.#units > MAX_UNITS
  }

  allDone(): Promise<void> {
    return this.#oneByOne(() => undefined)
  }

  async #submitNext(): Promise<void> {
    if (this.#waiting.length === 0) return
    // A command may finish without waiting, and a backlog of such lines must not block the event loop.
    await this.#account.rest()
    // The line begins only now: it may have been dropped during the rest.
    const line = this.#isOver() ? undefined : this.#waiting.shift()
    if (line === undefined) return
    this.#units -= line.length
    await this.#submit(line)
  }
}

interface Pipe {
  readonly input: AsyncIterable<Uint8Array>
  readonly account: Account
  /** A longer line is never held whole in memory. */
  readonly lineUnits: number
  readonly onLine: (line: string) => Promise<void>
  readonly onTooLong: () => void
}

/** Bytes that are decoded before other sessions get their turn. */
const PIECE_BYTES = 2_048

/** LF and CR LF end lines. Invalid UTF-8 becomes U+FFFD. Blank lines are left out. */
export async function readLines({ input, account, lineUnits, onLine, onTooLong }: Pipe): Promise<void> {
  const utf8 = new TextDecoder()
  let line = ''
  let isTooLong = false

  function add(text: string): void {
    if (isTooLong) return
    line += text
    if (line.length <= lineUnits + 1) return
    isTooLong = true
    line = ''
  }

  async function endLine(): Promise<void> {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line
    const wasTooLong = isTooLong || whole.length > lineUnits
    line = ''
    isTooLong = false
    if (wasTooLong) onTooLong()
    else if (whole.trim() !== '') await onLine(whole)
  }

  for await (const bytes of input) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      const texts = await account.run(() => utf8.decode(piece, { stream: true }).split('\n'))
      for (const [index, text] of texts.entries()) {
        if (index > 0) await endLine()
        add(text)
      }
    }
  }
  add(utf8.decode())
  await endLine()
}
