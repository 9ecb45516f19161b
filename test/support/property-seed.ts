import fc from 'fast-check'
import { inject } from 'vitest'
import { runs } from './runs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number
  }
}

// All property tests of a run begin from the seed that its first line names.
fc.configureGlobal({ seed: inject('seed'), numRuns: runs(100) })
