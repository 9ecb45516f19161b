/** Lua engines, and the processes that compose prompts with them. */
export { type PoolComposer, createComposer } from './composer.ts'
export { ENGINE_NAMES } from './engines.ts'
