import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Site } from '../support/faults/site.ts'
import type { Check, Finding } from './checks/finding.ts'
import type { Played } from './run.ts'

export interface Judged {
  readonly check: Check
  readonly findings: readonly Finding[]
}

/** Of one check: the rest is often the same again. */
const MAX_FINDINGS = 3

export const describeJudged = (all: readonly Judged[]): string =>
  all
    .map(({ check, findings }) =>
      [
        `${findings.length === 0 ? 'passed' : 'FAILED'}: ${check.name}`,
        ...findings
          .slice(0, MAX_FINDINGS)
          .flatMap(({ what, shown }) => [`  ${what}`, ...shown.map((line) => `    ${line}`)]),
        ...(findings.length > MAX_FINDINGS ? [`  and ${findings.length - MAX_FINDINGS} more`] : []),
      ].join('\n'),
    )
    .join('\n')

/** How much was done, so that nobody takes a run in which nothing happened for a good one. */
export function describePlayed({ history, truth }: Played): string {
  const done = history.acts.filter(({ outcome }) => outcome === 'done').length
  const unknown = history.acts.filter(({ outcome }) => outcome === 'unknown').length
  const faults = history.faults.map(
    ({ name, machine }) => `${name}${machine === undefined ? '' : ` ${machine}`}`,
  )
  return [
    `${history.acts.length} acts, ${done} acknowledged, ${unknown} unanswered; ${history.visits.length} sessions; ${truth.entries.length} entries, ${truth.turns.length} turns`,
    `faults: ${faults.join(', ')}`,
  ].join('\n')
}

/** Puts all that is known beside the data of the engines. */
export async function writeAll(played: Played, site: Site, judged: readonly Judged[]): Promise<void> {
  const json = (value: unknown): string => JSON.stringify(value, undefined, 1)
  await writeFile(join(site.dir, 'history.json'), json(played.history))
  await writeFile(join(site.dir, 'log.json'), json(played.truth))
  await writeFile(
    join(site.dir, 'findings.json'),
    json(judged.map(({ check, findings }) => ({ check: check.name, findings }))),
  )
  for (const machine of site.machines) await writeFile(join(site.dir, `${machine.name}.log`), machine.log())
}
