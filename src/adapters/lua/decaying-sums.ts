/** Sums that are forgotten slowly, by key. */
export interface DecayingSums {
  add(key: string, amount: number): void
  /** What is left of all that was added; 0 for a key that nothing was added to. */
  of(key: string): number
}

/** A sum that has fallen to this part of what was last added to it is forgotten. */
const NEGLIGIBLE_SHARE = 1 / 1024

/** Keys that are kept before those with a negligible sum are looked for. */
const MAX_KEYS = 1000

interface Sum {
  readonly amount: number
  readonly at: number
}

/**
 * Half of each sum is gone after `halfLifeMs`, and no sum is more than `most`. `now` is a clock that never
 * goes back.
 */
export function createDecayingSums(
  { halfLifeMs, most = Infinity }: { readonly halfLifeMs: number; readonly most?: number },
  now: () => number = () => performance.now(),
): DecayingSums {
  const sums = new Map<string, Sum>()
  const shareLeft = (at: number): number => 0.5 ** ((now() - at) / halfLifeMs)

  function of(key: string): number {
    const sum = sums.get(key)
    return sum === undefined ? 0 : sum.amount * shareLeft(sum.at)
  }

  function forgetNegligible(): void {
    for (const [key, { at }] of sums) if (shareLeft(at) < NEGLIGIBLE_SHARE) sums.delete(key)
  }

  return {
    of,
    add(key, amount) {
      sums.set(key, { amount: Math.min(most, of(key) + amount), at: now() })
      if (sums.size > MAX_KEYS) forgetNegligible()
    },
  }
}
