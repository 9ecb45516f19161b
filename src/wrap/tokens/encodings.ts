import type { TiktokenEncoding } from 'tiktoken'
import { keysOf } from '../../base/basics.ts'

/** Encodings with equal tables differ only in control tokens (openai_public.py), which are not recognised. */
const TABLES = {
  o200k_base: 'o200k_base',
  o200k_harmony: 'o200k_base',
  cl100k_base: 'cl100k_base',
  p50k_base: 'p50k_base',
  p50k_edit: 'p50k_base',
  r50k_base: 'r50k_base',
  gpt2: 'r50k_base',
} as const satisfies Readonly<Record<string, TiktokenEncoding>>

export const tablesOf = (encoding: string): TiktokenEncoding | undefined =>
  new Map<string, TiktokenEncoding>(Object.entries(TABLES)).get(encoding)

export const ENCODINGS = keysOf(TABLES)
