/** Lua engines and the process that composes prompts with them. */
export { type PoolComposer, createComposer } from './composer.ts'
export { ENGINE_NAMES } from './engines.ts'
