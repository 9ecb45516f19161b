/** The results of tool calls. Long results are stored and read page by page. */
export { READ_FD, type ResultLimits, type ResultStore, showPage } from './long-results.ts'
export { type ToolResult, failed, ok, renamedTrouble, withTrouble } from './result.ts'
