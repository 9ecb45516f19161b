import type { TiktokenEncoding } from 'tiktoken'
import { keysOf } from '../../lib/basics.ts'

/**
 * Encodings, and the tables of tiktoken that they are counted with. Those with the tables of another differ from it in control
 * tokens and nothing else (openai_public.py), and a text is never taken for those.
 */
const TABLES = {
  o200k_base: 'o200k_base',
  o200k_harmony: 'o200k_base',
  cl100k_base: 'cl100k_base',
  p50k_base: 'p50k_base',
  p50k_edit: 'p50k_base',
  r50k_base: 'r50k_base',
  gpt2: 'r50k_base',
} as const satisfies Readonly<Record<string, TiktokenEncoding>>

/** The tables of an encoding; undefined where nobody knows it. */
export const tablesOf = (encoding: string): TiktokenEncoding | undefined =>
  new Map<string, TiktokenEncoding>(Object.entries(TABLES)).get(encoding)

/** The names of all encodings, as the config and a script write them. */
export const ENCODINGS = keysOf(TABLES)
