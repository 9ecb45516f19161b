/**
 * Tells when a client has read all that was sent to it: by asking it for an answer, which it gives in its
 * turn.
 */
export interface Answers {
  /**
   * Calls `listener` once the client has answered after all that was sent by now. Never called if it goes
   * away first.
   */
  ask(listener: () => void): void
  /** The client can be asked from now on, with `ping`. Whoever else asks it says so to `asked`. */
  begin(ping: () => void): void
  /** Somebody else has asked: the client will answer that, too. */
  asked(): void
  /** The client has answered what it was asked first. */
  answered(): void
}

/**
 * RFC 4254, section 4: answers come in the order of the requests. What is asked in one go is one request.
 */
export function createAnswers(): Answers {
  const pending: (readonly (() => void)[])[] = []
  let next: (() => void)[] = []
  let send: (() => void) | undefined

  function askNow(): void {
    if (next.length === 0) return
    pending.push(next)
    next = []
    send?.()
  }

  return {
    ask(listener) {
      if (send && next.push(listener) === 1) queueMicrotask(askNow)
    },
    begin(ping) {
      send = ping
    },
    asked: () => void pending.push([]),
    answered() {
      for (const listener of pending.shift() ?? []) listener()
    },
  }
}
