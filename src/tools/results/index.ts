/** What a call of a tool answers, and how a long answer is kept and read. */
export { READ_FD, type ResultLimits, type ResultStore, showPage } from './long-results.ts'
export { type ToolResult, failed, ok, renamedTrouble, withTrouble } from './result.ts'
