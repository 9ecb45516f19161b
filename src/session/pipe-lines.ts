import type { Account } from '../lib/jobs/scheduler.ts'

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
