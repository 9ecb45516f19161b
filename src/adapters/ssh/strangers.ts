/**
 * Whose client is told how to make a key. The banner goes out before a key is offered and a client prints it each
 * time, so those whose last connection was let in are spared it: a script's standard error is for its own trouble.
 * It depends on the address alone, never on the name that is asked for.
 */
export interface Strangers {
  /** Whether nobody, or nobody lately, was let in from there. */
  has(network: string): boolean
  letIn(network: string): void
  turnedAway(network: string): void
}

/** Addresses remembered; the oldest go first and are strangers again. */
const REMEMBERED = 10_000

export function createStrangers(): Strangers {
  const known = new Set<string>()
  return {
    has: (network) => !known.has(network),
    letIn(network) {
      known.delete(network)
      known.add(network)
      if (known.size > REMEMBERED) known.delete(known.keys().next().value!)
    },
    turnedAway: (network) => void known.delete(network),
  }
}
