import { defineConfig } from 'vitest/config'

/** Measurements, one file after another: nothing else may run while they do. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/bench/*.bench.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/postgres/run.ts'],
    reporters: ['default'],
    disableConsoleIntercept: true,
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
