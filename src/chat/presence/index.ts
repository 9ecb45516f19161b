/** Who is here, on this server and on others. */
export { PresenceFold, foldPast, foldedLines } from './fold.ts'
export { type PresenceChange, nameOf } from './tally.ts'
