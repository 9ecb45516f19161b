import { expect, test } from 'vitest'
import { hasTooManyValues, MAX_JSON_VALUES } from '../../../src/lib/json.ts'

const MOST = MAX_JSON_VALUES

test.each([
  ['a list of all that is allowed', `[${Array.from({ length: MOST - 1 }, () => 0).join()}]`, false],
  ['a list of one more', `[${Array.from({ length: MOST }, () => 0).join()}]`, true],
  ['an object with half as many keys', `{${Array.from({ length: MOST / 2 }, () => '"a":1').join()}}`, true],
  ['many empty lists in each other', '['.repeat(MOST), true],
  ['a long text of commas', JSON.stringify(',:[{'.repeat(MOST)), false],
  ['texts with quotes and backslashes', JSON.stringify({ a: '\\"'.repeat(MOST), b: '\\' }), false],
  ['a text without an end', `"${','.repeat(MOST)}\\`, false],
  ['values after a text that ends in a backslash', `["\\\\"${',1'.repeat(MOST)}]`, true],
])('the keys and values of JSON are counted: %s', (_what, text, isTooMany) => {
  expect(hasTooManyValues(text)).toBe(isTooMany)
})
