import { get_encoding, type Tiktoken, type TiktokenEncoding } from 'tiktoken'
import { afterAll } from 'vitest'
import { ENCODINGS } from '../../src/wrap/tokens/encodings.ts'
import { tokenCounters } from '../support/token-counters.ts'
import { tokenCounterExam } from './token-counter-exam.ts'

const references = new Map<string, Tiktoken>()
afterAll(() => references.forEach((one) => one.free()))

/** The package's own tables; o200k_harmony differs from o200k_base in control tokens alone. */
function reference(encoding: string): Tiktoken {
  const name = encoding === 'o200k_harmony' ? 'o200k_base' : encoding
  const tables = references.get(name) ?? get_encoding(name as TiktokenEncoding)
  references.set(name, tables)
  return tables
}

for (const encoding of ENCODINGS) {
  const theirs = reference(encoding)
  tokenCounterExam(`of tiktoken for ${encoding}`, () => ({
    counter: tokenCounters.of(encoding),
    truth: (text) => theirs.encode_ordinary(text).length,
  }))
}
