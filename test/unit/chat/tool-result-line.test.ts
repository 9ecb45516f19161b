import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolResultLine } from '../../../src/chat/entry-text.ts'
import type { ToolResultEntry } from '../../../src/chat/entry.ts'
import { anyCharacter } from '../../support/any-character.ts'

const lineOf = (text: string, isError = false): string =>
  toolResultLine({
    ...{ id: '1', room: 'lobby', at: 0, kind: 'tool_result', author: 'qwen', name: 'T', call: 'c' },
    ...{ text, isError, durationMs: 4, bytes: 186, turn: 't' },
  } as ToolResultEntry)

describe('the line of a result', () => {
  it.each([
    ['', 'T: ok (4ms, 186 B)'],
    [' \n ', 'T: ok (4ms, 186 B)'],
    ['ok', 'T: ok (4ms, 186 B)'],
    ['ok\nand more', 'T: ok … (4ms, 186 B)'],
    ['\n  one\n', 'T: one (4ms, 186 B)'],
    ['one\ntwo', 'T: one … (4ms, 186 B)'],
  ])('of %j is %j', (text, line) => expect(lineOf(text)).toBe(line))

  it('of an error has a mark where it is cut, or has more lines', () => {
    expect(lineOf('ERROR: no', true)).toBe('T: ERROR: no (4ms, 186 B)')
    expect(lineOf('ERROR: no\nprinted besides', true)).toBe('T: ERROR: no … (4ms, 186 B)')
    expect(lineOf(`ERROR: ${'x'.repeat(1000)}`, true)).toMatch(/^T: ERROR: x{493} … \(4ms, 186 B\)$/)
  })

  it('is one line of bounded length, whatever the result is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 2000 }), fc.boolean(), (text, isError) => {
        const line = lineOf(text, isError)
        expect(line).not.toContain('\n')
        expect(line.length).toBeLessThan(540)
      }),
    )
  })
})
