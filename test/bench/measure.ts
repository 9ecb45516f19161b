import { cpus, loadavg } from 'node:os'

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

/** What is measured side by side: one contender's work on the round of that number. */
export type Contenders = Readonly<Record<string, (round: number) => unknown>>

/**
 * Milliseconds of each contender in each round. They take turns within a round, so that a busy machine is
 * busy for all of them alike; the first rounds only warm up.
 */
export async function race(
  contenders: Contenders,
  { rounds, warmup }: { readonly rounds: number; readonly warmup: number },
): Promise<Readonly<Record<string, readonly number[]>>> {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as number[]]))
  for (let round = 0; round < warmup + rounds; round += 1) {
    for (const [name, work] of Object.entries(contenders)) {
      const start = performance.now()
      await work(round)
      if (round >= warmup) times[name]!.push(performance.now() - start)
    }
  }
  return times
}

/** Prints a heading, lines of equal columns, and the machine with what else it does. */
export function report(title: string, rows: readonly (readonly (string | number)[])[]): void {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell)))
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, load ${loadavg()[0]!.toFixed(1)}, node ${process.version}`
  console.log(`\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}\n  (${machine})`)
}

/** Rows of a table from objects with the same keys, which are its heading. */
export const tableOf = (rows: readonly Readonly<Record<string, string | number>>[]) => [
  Object.keys(rows[0] ?? {}),
  ...rows.map((row) => Object.values(row)),
]

export const verdict = (figure: number, met: boolean, wanted: string): string =>
  `${figure.toFixed(2)}: ${met ? 'met' : 'MISSED'}, wanted ${wanted}`
