import type { Account } from '../../lib/jobs/scheduler.ts'

/** Who parses what comes on one connection. */
export interface InputReader {
  /** Takes one piece. Must not throw. */
  feed(piece: Buffer): void
  /** Stops reading from the peer. Called when pieces wait. */
  pause(): void
  /** Reads from the peer again. Called when none waits any more. */
  resume(): void
}

/** One connection's input. */
export interface PacedInput {
  /** To be called with what comes, in order. */
  take(bytes: Buffer): void
  close(): void
}

/** A piece holds at most about sixty packets, which cost ssh2 less than a millisecond. */
const PIECE_BYTES = 2_048

/**
 * What arrives is parsed in small pieces on the connection's account. Between two of them the network is
 * looked at, and what the first one causes is run.
 */
export function paceInput(account: Account, reader: InputReader): PacedInput {
  let left: Buffer[] = []
  let isOpen = true
  let isFeeding = false
  let isPaused = false

  function feedPiece(): void {
    const [first, ...rest] = left
    if (!first) return
    left = first.length > PIECE_BYTES ? [first.subarray(PIECE_BYTES), ...rest] : rest
    reader.feed(first.subarray(0, PIECE_BYTES))
  }

  async function feedAll(): Promise<void> {
    await account.run(feedPiece)
    while (left.length > 0) await account.runLater(feedPiece)
    isFeeding = false
    if (isPaused && isOpen) reader.resume()
    isPaused = false
  }

  return {
    take(bytes) {
      if (!isOpen) return
      left.push(bytes)
      if (!isFeeding) {
        isFeeding = true
        void feedAll()
      }
      if (left.length === 0 || isPaused) return
      isPaused = true
      reader.pause()
    },
    close() {
      isOpen = false
      left = []
    },
  }
}
