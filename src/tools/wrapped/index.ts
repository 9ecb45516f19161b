/** Tools of `.tool` files. */
export { listToolFiles, loadToolFiles } from './load.ts'
export { type WrappedTools, createWrappedTools } from './wrapped-tools.ts'
