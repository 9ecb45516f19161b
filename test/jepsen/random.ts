import { createHash } from 'node:crypto'

/** Chance that can be repeated: the same seed gives the same choices in the same order. */
export interface Random {
  /** A whole number from `from` up to `to`, both possible. */
  between(from: number, to: number): number
  /** One of these. Throws where there is none. */
  pick<T>(choices: readonly T[]): T
  /** One of these, the more often the greater its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T
  shuffled<T>(items: readonly T[]): readonly T[]
  /** Another source, which depends on the seed and the name alone. */
  of(name: string): Random
}

export function createRandom(seed: string): Random {
  let drawn = 0
  /** From 0 to below 1. */
  const draw = (): number =>
    createHash('sha256').update(`${seed} ${drawn++}`).digest().readUInt32BE() / 2 ** 32
  const between = (from: number, to: number): number => from + Math.floor(draw() * (to - from + 1))
  function pick<T>(choices: readonly T[]): T {
    const chosen = choices[between(0, choices.length - 1)]
    if (chosen === undefined) throw new TypeError('there is nothing to choose from')
    return chosen
  }
  return {
    between,
    pick,
    weighted(choices) {
      let left = draw() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, choice] of choices) if ((left -= weight) < 0) return choice
      return pick(choices)[1]
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, place: draw() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ item }) => item),
    of: (name) => createRandom(`${seed} ${name}`),
  }
}
