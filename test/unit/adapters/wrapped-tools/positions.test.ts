import { describe, expect, it } from 'vitest'
import { checkedParts } from '../../../../src/adapters/wrapped-tools/command.ts'

const grep = { values: ['-A', '--include', '-e', '--regexp'], pattern: ['-e', '--regexp'] }
const find = { values: ['-name', '-path'] }

describe('the words of a command that may be options or paths', () => {
  it.each([
    [grep, ['-rn', '/x', '/y'], ['-rn', undefined, '/y']],
    [grep, ['/x', '-rn', '/y'], [undefined, '-rn', '/y']],
    [grep, ['-A', '/x', '/y', '/z'], ['-A', undefined, undefined, '/z']],
    [grep, ['-A3', '/x', '/y'], ['-A', undefined, '/y']],
    [grep, ['-Ae', '/x', '/y'], ['-A', undefined, '/y']],
    [grep, ['-rnA', '3', '/x'], ['-rnA', undefined, undefined]],
    [grep, ['-e', '-foo', '/y'], ['-e', undefined, '/y']],
    [grep, ['/y', '-e', '--'], ['/y', '-e', undefined]],
    [grep, ['-rne/x', '/y'], ['-rne', '/y']],
    [grep, ['--regexp=/x', '/y'], ['--regexp', '/y']],
    [grep, ['--reg', '/x', '/y'], ['--reg', '/x', '/y']],
    [grep, ['--reg=/x', '/y'], ['--reg=/x', '/y']],
    [grep, ['-e', 'x', '--inc', '/y'], ['-e', undefined, '--inc', '/y']],
    [grep, ['--include=/x', '/y', '/z'], ['--include', undefined, '/z']],
    [grep, ['--other=/x', '/y'], ['--other=/x', undefined]],
    [grep, ['--', '-foo', '-e', '/y'], ['--', undefined, '-e', '/y']],
    [grep, ['-', '/y'], [undefined, '/y']],
    [grep, ['-r/e', '/y'], ['-r/e', undefined]],
    [grep, ['-e'], ['-e']],
    [grep, [], []],
    [find, ['/x', '-name', '-delete', '-delete'], ['/x', '-name', undefined, '-delete']],
    [find, ['-names', '/x'], ['-names', '/x']],
  ])('are for %j and %j these: %j', (positions, words, parts) => {
    expect(checkedParts(words, positions)).toEqual(parts)
  })
})
