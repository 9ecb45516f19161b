import { defineConfig } from 'vitest/config'

/** What takes minutes, or measures time: `npm run soak`, not part of `npm test`. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/soak/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 15 * 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
