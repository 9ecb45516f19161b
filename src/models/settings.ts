import { asObject, type Fields } from './loose.ts'
import type { Effort } from './provider.ts'

/** Fraction of the answer's tokens for thinking, for providers that take a number. */
const THOUGHT: Readonly<Record<Effort, number>> = { low: 0.25, medium: 0.5, high: 0.75 }

export const thoughtTokens = (effort: Effort, maxOutput: number): number =>
  Math.floor(maxOutput * THOUGHT[effort])

/** Merges objects deeply and replaces other values; `over` wins, and its undefined values are skipped. */
export function merge(under: Fields, over: Fields): Fields {
  const merged: Record<string, unknown> = { ...under }
  for (const [key, value] of Object.entries(over)) {
    if (isTable(value)) merged[key] = merge(asObject(merged[key]), value)
    else if (value !== undefined) merged[key] = value
  }
  return merged
}

const isTable = (value: unknown): value is Fields => asObject(value) === value

/** Fields of all providers that this adapter sends itself, in lower case and without `_`. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'contents', 'system', 'instructions', 'systeminstruction'],
  ...['tools', 'toolchoice', 'toolconfig', 'stream', 'streamoptions', 'store', 'truncate', 'shift'],
  ...['maxtokens', 'maxcompletiontokens', 'maxoutputtokens', 'npredict', 'numpredict', 'numctx'],
  ...['generationconfig.maxoutputtokens', 'options.numpredict', 'options.numctx'],
])

/** Returns the keys of `extra_body` that this adapter sends itself; `path` is set for a nested part. */
export const ownKeys = (table: Fields, path = ''): readonly string[] =>
  Object.entries(table).flatMap(([key, value]) => [
    ...(OWN_FIELDS.has((path + key).replaceAll('_', '').toLowerCase()) ? [path + key] : []),
    ...(path === '' && isTable(value) ? ownKeys(value, `${key}.`) : []),
  ])
