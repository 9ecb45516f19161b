/** Token counts of the encodings that models use. */
export { ENCODINGS } from './encodings.ts'
export { type TokenCounters, createTokenCounters } from './tiktoken.ts'
