import { inspect } from 'node:util'
import type { FuzzReport } from './fuzz.ts'

const MAX_DETAIL_UNITS = 1500

/** The report in words: what was tried, how others fared, and each finding with its smallest case. */
export function describeReport(
  { cases, findings, answers, largestMiB, slowest }: FuzzReport,
  seed: number,
): string {
  const p99 = answers[Math.ceil(answers.length * 0.99) - 1] ?? NaN
  const others = `${answers.length} commands of somebody else, p99 ${p99.toFixed(0)} ms, longest ${(answers.at(-1) ?? NaN).toFixed(0)} ms`
  const longest = slowest.map(({ number, ms }) => `${number} (${(ms / 1000).toFixed(1)} s)`).join(', ')
  const found = findings.map(
    ({ kind, detail, count, number, smallest }) =>
      `\n${kind} (${count} times)\n  again: FUZZ_SEED=${seed} FUZZ_CASE=${number} npm run fuzz\n${indent(describe(smallest))}\n${indent(printable(detail).slice(-MAX_DETAIL_UNITS))}`,
  )
  return [
    `${cases} cases, ${findings.length} kinds of trouble; ${others}; at most ${largestMiB.toFixed(0)} MiB`,
    `longest cases: ${longest}`,
    ...found,
  ].join('\n')
}

const describe = (value: unknown): string =>
  inspect(value, { depth: 6, breakLength: 110, maxStringLength: 400 })

const printable = (text: string): string =>
  text.replace(/\r/g, '').replace(/(?!\n)\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))

const indent = (text: string): string => text.replace(/^/gm, '  ')
