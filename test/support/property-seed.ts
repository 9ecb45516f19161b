import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number
  }
}

// All property tests of a run begin from the seed that its first line names.
fc.configureGlobal({ seed: inject('seed') })
