import { get_encoding, type TiktokenEncoding } from 'tiktoken'
import { afterAll } from 'vitest'
import { ENCODINGS } from '../../src/adapters/tokens/encodings.ts'
import { createTokenCounters } from '../../src/adapters/tokens/tiktoken.ts'
import { tokenCounterExam } from './token-counter-exam.ts'

const counters = createTokenCounters()
afterAll(() => counters.close())

/** The package's own tables; o200k_harmony differs from o200k_base in control tokens alone. */
const reference = (encoding: string) =>
  get_encoding(encoding === 'o200k_harmony' ? 'o200k_base' : (encoding as TiktokenEncoding))

for (const encoding of ENCODINGS) {
  const theirs = reference(encoding)
  afterAll(() => theirs.free())
  tokenCounterExam(`of tiktoken for ${encoding}`, () => ({
    counter: counters.of(encoding),
    truth: (text) => theirs.encode_ordinary(text).length,
  }))
}
