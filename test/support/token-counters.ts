import { createTokenCounters } from '../../src/wrap/tokens/tiktoken.ts'

/** One for all tests of a worker: to load the tables of an encoding takes up to half a second, and nothing in them changes. */
export const tokenCounters = createTokenCounters()
