import { createSerial } from '../lib/jobs/serial.ts'

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
