import type { Brand } from '../lib/brand.ts'

/** One process, from its start to its end. */
export type ServerId = Brand<'ServerId'>
