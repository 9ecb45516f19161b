import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { missing } from './needs.ts'

/**
 * Begins a run with the seed of its property tests, and ends it with the names of what failed and with `N passed, N
 * failed, N skipped` on a line of its own, for machines that read the output. Above it stands why tests were skipped.
 * `FAILED_FILES=PATH` appends the files of failed tests to that file, a line each.
 */
export class SummaryReporter implements Reporter {
  readonly seed: number

  constructor(seed: number) {
    this.seed = seed
  }

  onInit(): void {
    print(`property tests: seed ${this.seed} (TEST_SEED=${this.seed} repeats this run)`)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const failures = modules.flatMap(failuresOf)
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    )
    const count = (state: string) => states.filter((each) => each === state).length
    print('')
    if (count('skipped') > 0) for (const line of missing) print(line)
    for (const line of modules.flatMap(skippedWithReasons)) print(line)
    for (const failure of failures) print(`failed: ${failure}`)
    // Errors outside of tests: a worker that died, a rejection that nobody handled.
    for (const error of errors) print(`error: ${messageOf(error)}`)
    print(`${count('passed')} passed, ${failures.length + errors.length} failed, ${count('skipped')} skipped`)
    const failed = modules.filter((module) => failuresOf(module).length > 0)
    noteFiles([...failed.map((module) => module.relativeModuleId), ...errors.flatMap(fileOf)])
  }
}

/** The names of the tests that did not pass; the file's, if it has none because it does not even load. */
function failuresOf(module: TestModule): readonly string[] {
  const failed: string[] = []
  for (const test of module.children.allTests()) {
    // What was still running when its worker died has not passed.
    if (['failed', 'pending'].includes(test.result().state))
      failed.push(`${module.relativeModuleId} > ${test.fullName}`)
  }
  return failed.length === 0 && module.state() === 'failed' ? [module.relativeModuleId] : failed
}

/** Tests that were skipped for a reason of their own, with it. */
const skippedWithReasons = (module: TestModule): readonly string[] =>
  [...module.children.allTests('skipped')].flatMap((test) => {
    const result = test.result()
    if (result.state !== 'skipped' || result.note === undefined) return []
    return [`SKIPPED ${module.relativeModuleId} > ${test.fullName}: ${result.note}`]
  })

function noteFiles(files: readonly string[]): void {
  const path = process.env['FAILED_FILES']
  if (path !== undefined) appendFileSync(path, files.map((file) => `${file}\n`).join(''))
}

/** What a worker notes on an error outside of tests: the test and the file that ran then, if it knew them. */
interface StrayError {
  readonly message?: unknown
  readonly VITEST_TEST_NAME?: unknown
  readonly VITEST_TEST_PATH?: unknown
}

/** An error's message in one line, with what ran then. */
function messageOf(error: unknown): string {
  const { message, VITEST_TEST_NAME: during } = Object(error) as StrayError
  const text = String(message ?? error).replaceAll(/\s+/gu, ' ')
  const where = [...fileOf(error), ...(typeof during === 'string' ? [during] : [])].join(' > ')
  return where === '' ? text : `${text} (during ${where})`
}

function fileOf(error: unknown): readonly string[] {
  const { VITEST_TEST_PATH: path } = Object(error) as StrayError
  return typeof path === 'string' ? [relative(process.cwd(), path)] : []
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
