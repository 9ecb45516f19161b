const CELLS = 8

/** `▰▰▱▱▱▱▱▱`: a share from 0 to 1, or more, in eight cells. What is begun has one. */
export function bar(share: number): string {
  const full = Math.min(CELLS, Math.ceil(share * CELLS))
  return '▰'.repeat(full) + '▱'.repeat(CELLS - full)
}
