/** What is read in turns: one connection's input. */
export interface TurnReader {
  /** Takes one piece. Must not throw. */
  feed(piece: Buffer): void
  /** Stops reading from the peer. Called when pieces wait. */
  pause(): void
  /** Reads from the peer again. Called when none waits any more. */
  resume(): void
}

/** One connection's input; to be called with what comes, in order. */
export type TakeInput = (bytes: Buffer) => void

/** Shares the server's time among those who send to it. */
export interface InputTurns {
  open(reader: TurnReader): { readonly take: TakeInput; close(): void }
}

/** A piece holds at most about sixty packets, which cost ssh2 less than a millisecond. */
const PIECE_BYTES = 2_048

/** Who cost less than this lately is served at once. */
const CREDIT_MS = 4

/** How much of what somebody cost is forgotten in each millisecond: nobody who costs less than this share ever waits. */
const FORGOTTEN_SHARE = 0.05

/** More than this is not held against anybody, so that it is forgotten in a few seconds. */
const MAX_SPENT_MS = 200

interface Line {
  readonly reader: TurnReader
  /** Milliseconds that it cost, less what is forgotten. */
  spent: number
  /** When `spent` was right. */
  at: number
  left: Buffer[]
  isOpen: boolean
}

/**
 * What arrives is parsed in small pieces. The first piece of somebody who cost little lately is parsed at once. All
 * else waits, and between two looks at the network only one piece of it is parsed: that of whoever cost the least. So
 * a flood takes all the time that nobody else wants, and no more.
 */
export function createInputTurns(now: () => number = () => performance.now()): InputTurns {
  const waiting = new Set<Line>()
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || waiting.size === 0) return
    isScheduled = true
    // An immediate runs after the network was looked at; what a piece causes runs before the next one.
    setImmediate(() => {
      isScheduled = false
      const line = cheapest(waiting)
      if (line) serve(line)
      schedule()
    })
  }

  /** Whoever was served goes behind those who cost as much. */
  function serve(line: Line): void {
    feedPiece(line)
    waiting.delete(line)
    if (line.left.length > 0) waiting.add(line)
    else if (line.isOpen) line.reader.resume()
  }

  function feedPiece(line: Line): void {
    const [first, ...rest] = line.left
    if (!first) return
    line.left = first.length > PIECE_BYTES ? [first.subarray(PIECE_BYTES), ...rest] : rest
    const start = now()
    line.reader.feed(first.subarray(0, PIECE_BYTES))
    const end = now()
    line.spent = Math.min(MAX_SPENT_MS, spentBy(line, start) + (end - start))
    line.at = end
  }

  return {
    open(reader) {
      const line: Line = { reader, spent: 0, at: now(), left: [], isOpen: true }
      return {
        take(bytes) {
          if (!line.isOpen) return
          line.left.push(bytes)
          if (waiting.has(line)) return
          if (spentBy(line, now()) < CREDIT_MS) feedPiece(line)
          if (line.left.length === 0) return
          waiting.add(line)
          reader.pause()
          schedule()
        },
        close() {
          line.isOpen = false
          line.left = []
          waiting.delete(line)
        },
      }
    },
  }
}

const spentBy = ({ spent, at }: Line, now: number): number =>
  Math.max(0, spent - (now - at) * FORGOTTEN_SHARE)

function cheapest(lines: ReadonlySet<Line>): Line | undefined {
  let best: Line | undefined
  for (const line of lines) if (!best || line.spent < best.spent) best = line
  return best
}
