/** Tools of `.tool` files. */
export { listToolFiles, loadToolFiles } from './load.ts'
export type { ToolFileProblem } from './parse.ts'
export { type ToolFiles, type WrappedTools, createWrappedTools, readToolFiles } from './wrapped-tools.ts'
