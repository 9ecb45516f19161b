import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with `N passed, N failed, N skipped` on a line of its own, for machines that read the output. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      const before = counts.failed
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state === 'pending' ? 'skipped' : state] += 1
      }
      // A file that does not even load has no tests that could fail.
      if (module.state() === 'failed' && counts.failed === before) counts.failed += 1
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}
