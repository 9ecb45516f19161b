import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyDecoder } from '../../../src/session/input/keys.ts'
import type { Key } from '../../../src/session/input/keys.ts'
import { runs } from '../../support/runs.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const decode = (...chunks: readonly (string | Uint8Array)[]): Key[] => {
  const decoder = createKeyDecoder()
  return joined(chunks.flatMap((chunk) => decoder(typeof chunk === 'string' ? bytes(chunk) : chunk)))
}

/** Neighbouring pieces of text or paste as one. */
function joined(keys: readonly Key[]): Key[] {
  const all: Key[] = []
  for (const key of keys) {
    const last = all.at(-1)
    if (last && key.type !== 'press' && last.type === key.type)
      all[all.length - 1] = { ...last, text: last.text + key.text }
    else all.push(key)
  }
  return all
}

const names = (...input: readonly string[]): string[] =>
  decode(...input).map((key) => (key.type === 'press' ? key.name : `${key.type}:${key.text}`))

test('typed text comes through in any script, also when a character is cut', () => {
  expect(names('héllo 日本 👩‍👩‍👧')).toEqual(['text:héllo 日本 👩‍👩‍👧'])
  const [first, second] = [bytes('é').slice(0, 1), bytes('é').slice(1)]
  expect(decode(first, second)).toEqual([{ type: 'text', text: 'é' }])
})

test('invalid UTF-8 becomes a replacement character and never stops the decoder', () => {
  expect(decode(Uint8Array.of(0xff, 0xc3, 0x41))).toEqual([{ type: 'text', text: '\ufffd\ufffdA' }])
})

test.each([
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\x1b\r', 'newline'],
  ['\x01', 'home'],
  ['\x05', 'end'],
  ['\x0b', 'kill-right'],
  ['\x15', 'kill-left'],
  ['\x17', 'kill-word'],
  ['\x0c', 'clear'],
  ['\x03', 'interrupt'],
  ['\x04', 'eof'],
  ['\x18', 'stop'],
  ['\x7f', 'backspace'],
  ['\x1b[A', 'up'],
  ['\x1bOB', 'down'],
  ['\x1b[1;5D', 'word-left'],
  ['\x1bf', 'word-right'],
  ['\x1b[3~', 'delete'],
  ['\x1b[H', 'home'],
  ['\x1bOF', 'end'],
  ['\x1b[4~', 'end'],
  ['\t', 'tab'],
])('%j is the key %s', (input, name) => {
  expect(names(input)).toEqual([name])
  expect(names(...input)).toEqual([name])
})

test('sequences that mean nothing here are left out whole', () => {
  expect(names('a\x1b[5~\x1b[?1;2cb\x1b[<0;10;10Mc')).toEqual(['text:abc'])
  expect(names('\x00\x1c\u009b')).toEqual([])
})

test('a bracketed paste is text with its line ends, and no key', () => {
  expect(names('\x1b[200~one\r\ntwo\rthree\n\x1b[201~\r')).toEqual(['paste:one\ntwo\nthree\n', 'enter'])
})

test('controls within a paste are left out, tabs stay', () => {
  expect(names('\x1b[200~a\x03\x1b[31m\tb\x1b[201~')).toEqual(['paste:a[31m\tb'])
})

test('a letter with Alt that has no meaning types nothing', () => {
  expect(names('\x1bx')).toEqual([])
})

test('a letter that is pressed after a lone Esc is itself', () => {
  const decode = createKeyDecoder()
  decode(bytes('\x1b'))
  expect(decode(bytes('x'), 40)).toEqual([{ type: 'text', text: 'x' }])
})

test('a sequence without an end does not hold the keyboard for ever', () => {
  expect(names('\x1b[' + '1;'.repeat(40) + '\r').at(-1)).toBe('enter')
})

test('the keys are the same wherever the bytes are cut', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '\x1b[A',
      '\x1b[1;5C',
      '\x1bOH',
      '\x1b[200~',
      '\x1b[201~',
      '\x1b',
      '\r',
      '\r\n',
      '\x1b\r',
      '\x03',
      '[',
      'é',
    ),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(200)), (parts, cuts) => {
      const all = bytes(parts.join(''))
      const at = [0, ...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length]
      const chunks = at.slice(1).map((end, i) => all.slice(at[i], end))
      expect(decode(...chunks)).toEqual(decode(all))
    }),
    { numRuns: runs(500) },
  )
})

test('no bytes whatever make it throw, or let a control into text', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      for (const key of decode(...chunks)) {
        // The next line is about what is left of controls: tab and LF in a paste, nothing in typed text.
        if (key.type === 'text') expect(key.text).not.toMatch(/\p{Cc}/u)
        if (key.type === 'paste') expect(key.text).not.toMatch(/(?![\n\t])\p{Cc}/u)
      }
    }),
    { numRuns: runs(500) },
  )
})
