import { randomInt } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './support/summary-reporter.ts'

const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31))

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/{unit,contract,e2e}/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    provide: { seed },
    reporters: ['default', new SummaryReporter(seed)],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // Nothing of ours keeps state in a module, so that files can share them; it saves a third of the time.
    isolate: false,
    maxWorkers: 3,
  },
})
