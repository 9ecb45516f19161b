/** Questions whether a tool may run, and who answers them. */
export { Approvals, type Decision, type WaitingQuestion, recordDenial } from './approvals.ts'
export type { Grant, GrantStore } from './ports.ts'
export { askedFromJson } from './questions.ts'
