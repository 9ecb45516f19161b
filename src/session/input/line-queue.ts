import { createSerial } from '../../lib/jobs/serial.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'

/** The lines of a session that were sent and are not done: one at a time is being done, the others wait. */
interface WaitingLines {
  /** Does `send` once all lines before this one are done or dropped. `send` never rejects. */
  add(line: string, send: () => Promise<void>): void
  /** Drops the lines that have not begun, and returns them. */
  drop(): readonly string[]
  /** The lines that have not begun. */
  waiting(): readonly string[]
  /** How many lines are not done. */
  count(): number
  /** True where so many wait that no more is to be read before they are done. */
  isFull(): boolean
  allDone(): Promise<void>
}

/** So many that ^C is still read behind a paste that is sent line by line. */
const MAX_LINES = 1_000
/** All that wait together, in UTF-16 units. */
const MAX_UNITS = 131_072

export function createWaitingLines(): WaitingLines {
  const oneByOne = createSerial()
  const waiting: { readonly line: string; readonly send: () => Promise<void> }[] = []
  let units = 0
  let underWay = 0

  /** Each line that came is good for one call; after a drop, there is nothing left for some of them. */
  async function sendNext(): Promise<void> {
    const next = waiting.shift()
    if (!next) return
    units -= next.line.length
    underWay++
    await next.send().finally(() => underWay--)
  }

  return {
    add(line, send) {
      waiting.push({ line, send })
      units += line.length
      void oneByOne(sendNext)
    },
    drop() {
      units = 0
      return waiting.splice(0).map(({ line }) => line)
    },
    waiting: () => waiting.map(({ line }) => line),
    count: () => waiting.length + underWay,
    isFull: () => waiting.length > MAX_LINES || units > MAX_UNITS,
    allDone: () => oneByOne(() => undefined),
  }
}

/** A pipe to read lines from. */
interface PipeOptions {
  readonly input: AsyncIterable<Uint8Array>
  /** Pays for the reading. */
  readonly account: Account
  /** The longest line, in UTF-16 units; what is longer is never held whole in memory. */
  readonly lineUnits: number
  /** How often the person was put out of a room, as in `SessionHost`. */
  readonly timesPutOut: () => number
  /**
   * Called for each line that is not blank, one after the other, and with how often the person had been put out when its first byte
   * came.
   */
  readonly onLine: (line: string, timesPutOut: number) => Promise<void>
  /** Called once for each line that was too long and is lost. */
  readonly onTooLong: () => void
}

/** Bytes that are looked at before others have their turn. */
const PIECE_BYTES = 2_048

/** Each LF (or CR LF) ends a line, and so does the end of the input. Invalid UTF-8 becomes U+FFFD. */
export async function readLines({
  input,
  account,
  lineUnits,
  timesPutOut,
  onLine,
  onTooLong,
}: PipeOptions): Promise<void> {
  const utf8 = new TextDecoder()
  let line = ''
  let isTooLong = false
  let putOutBefore = timesPutOut()

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
    else if (whole.trim() !== '') await onLine(whole, putOutBefore)
  }

  async function takePiece([first = '', ...later]: readonly string[], putOut: number): Promise<void> {
    if (line === '' && !isTooLong) putOutBefore = putOut
    add(first)
    for (const text of later) {
      await endLine()
      putOutBefore = putOut
      add(text)
    }
  }

  for await (const bytes of input) {
    const putOut = timesPutOut()
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      await takePiece(await account.run(() => utf8.decode(piece, { stream: true }).split('\n')), putOut)
    }
  }
  add(utf8.decode())
  await endLine()
}
