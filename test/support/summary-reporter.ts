import type { Reporter, TestModule } from 'vitest/node'
import { missing } from './needs.ts'

/**
 * Begins a run with the seed of its property tests, and ends it with `N passed, N failed, N skipped` on a line of
 * its own, for machines that read the output. Above it stands why tests were skipped.
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
    // Errors outside of tests: a worker that died, a rejection that nobody handled.
    const counts = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      const before = counts.failed
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        // What was still running when its worker died has not passed.
        counts[state === 'pending' ? 'failed' : state] += 1
      }
      // A file that does not even load has no tests that could fail.
      if (module.state() === 'failed' && counts.failed === before) counts.failed += 1
    }
    print('')
    if (counts.skipped > 0) for (const line of missing) print(line)
    print(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
