import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readTable } from './committed.ts'
import { growthSince, improvedSince } from './growth.ts'
import { measure, type Measured } from './measure.ts'
import type { Road } from './road.ts'
import { readSources } from './source-files.ts'
import { writeTable } from './table.ts'

/** Where the committed figures stand. */
export const TABLE = 'docs/metrics.md'

/** What `npm run metrics` was asked for: to print the table, to write it, or to compare with what is committed. */
export type Task = 'print' | 'write' | 'check'

/** What came of it: text for standard output, and whether anything is wrong. */
export interface Outcome {
  readonly text: string
  readonly failed: boolean
}

/**
 * Measures the source tree at `root`. A road that cannot be followed fails every task, so that its stations cannot go
 * stale. Rejects where a file cannot be read, or is no TypeScript.
 */
export async function run(task: Task, root: string, roads: readonly Road[]): Promise<Outcome> {
  const measured = measure(await readSources(root), roads)
  const file = join(root, TABLE)
  const problems = measured.roads.flatMap((road) => road.problems)
  if (problems.length > 0 && task !== 'print') return failure([...problems, STATIONS])
  if (task === 'check') return compare(measured, await readFile(file, 'utf8').catch(() => ''))
  const page = await writeTable(measured, file)
  if (task === 'write') await writeFile(file, page)
  return problems.length > 0 ? failure([page, ...problems, STATIONS]) : { text: page, failed: false }
}

function compare(measured: Measured, page: string): Outcome {
  const committed = readTable(page)
  const growth = growthSince(measured, committed)
  if (growth.length > 0) return failure([...growth, `Make it smaller again. ${UPDATE}`])
  const improved = improvedSince(measured, committed)
  if (improved.length === 0) return { text: '', failed: false }
  return { text: `Better than ${TABLE}: ${improved.join('; ')}. ${UPDATE}\n`, failed: false }
}

const STATIONS = 'The stations of the roads are in test/metrics/roads.ts.'

const UPDATE = 'What is to stay goes into the table with: npm run metrics -- --write'

const failure = (lines: readonly string[]): Outcome => ({ text: `${lines.join('\n')}\n`, failed: true })
