import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyDecoder, type Key } from '../../../src/terminal/input/keys.ts'
import { runs } from '../../support/runs.ts'

const ESC = '\u001b'
const CSI = `${ESC}[`
const SS3 = `${ESC}O`
const ST = `${ESC}\\`

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Neighbouring pieces of text or paste are one. */
function decode(chunks: readonly Uint8Array[]): Key[] {
  const decoder = createKeyDecoder()
  const all: Key[] = []
  for (const key of chunks.flatMap((chunk) => decoder(chunk))) {
    const last = all.at(-1)
    if (last && key.type !== 'press' && last.type === key.type)
      all[all.length - 1] = { ...last, text: last.text + key.text }
    else all.push(key)
  }
  return all
}

/** Keys by name, text as it is, pastes in brackets. */
const shown = (keys: readonly Key[]): string =>
  keys
    .map((key) => (key.type === 'text' ? key.text : key.type === 'paste' ? `[${key.text}]` : `<${key.name}>`))
    .join('')

const keysOf = (text: string): string => shown(decode([bytes(text)]))

test('typed text is decoded in any script', () => {
  expect(keysOf('héllo 日本 👩‍👩‍👧')).toBe('héllo 日本 👩‍👩‍👧')
})

test('invalid UTF-8 becomes a replacement character and never stops the decoder', () => {
  expect(shown(decode([Uint8Array.of(0xff, 0xc3, 0x41)]))).toBe('\ufffd\ufffdA')
})

test('a bracketed paste is decoded as text with line ends, not as keys', () => {
  expect(keysOf(`${CSI}200~one\r\ntwo\rthree\n${CSI}201~\r`)).toBe('[one\ntwo\nthree\n]<enter>')
})

test('control characters in a paste are dropped, but tabs are kept', () => {
  expect(keysOf(`${CSI}200~a\u0003${CSI}31m\tb${CSI}201~`)).toBe('[a[31m\tb]')
})

test('a letter without an Alt binding that arrives after a separate Esc is plain text', () => {
  const decode = createKeyDecoder()
  decode(bytes(ESC))
  expect(shown(decode(bytes('x'), 40))).toBe('x')
})

test('Esc pressed alone ends a search at once, and the letter after it is typed', () => {
  const decode = createKeyDecoder()
  expect(shown(decode(bytes(ESC), 40))).toBe('<cancel>')
  expect(shown(decode(bytes('Q'), 40))).toBe('Q')
})

test('an unterminated escape sequence does not block the keyboard', () => {
  expect(keysOf(`${CSI}${'1;'.repeat(40)}\r`)).toMatch(/<enter>$/)
})

test('random bytes never make the decoder throw or put control characters into text', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      for (const key of decode(chunks)) {
        // The next line is about what is left of controls: tab and LF in a paste, nothing in typed text.
        if (key.type === 'text') expect(key.text).not.toMatch(/\p{Cc}/u)
        if (key.type === 'paste') expect(key.text).not.toMatch(/(?![\n\t])\p{Cc}/u)
      }
    }),
    { numRuns: runs(500) },
  )
})

/** Who sends it, what it is, and what it does here; nothing for what means nothing. */
const SEQUENCES: readonly (readonly [sender: string, sequence: string, does: string])[] = [
  ['xterm ↑', `${CSI}A`, '<up>'],
  ['xterm ↓ with application cursor keys', `${SS3}B`, '<down>'],
  ['xterm Home', `${CSI}H`, '<home>'],
  ['xterm End with application cursor keys', `${SS3}F`, '<end>'],
  ['xterm Shift-↑', `${CSI}1;2A`, '<up>'],
  ['xterm Shift-←', `${CSI}1;2D`, '<left>'],
  ['xterm Shift-Home', `${CSI}1;2H`, '<home>'],
  ['xterm Shift-End', `${CSI}1;2F`, '<end>'],
  ['xterm Shift-Delete', `${CSI}3;2~`, '<delete>'],
  ['xterm Shift-Tab', `${CSI}Z`, '<tab>'],
  ['xterm Alt-←', `${CSI}1;3D`, '<word-left>'],
  ['xterm Ctrl-→', `${CSI}1;5C`, '<word-right>'],
  ['xterm Ctrl-Shift-→', `${CSI}1;6C`, '<word-right>'],
  ['xterm Alt-Shift-←', `${CSI}1;4D`, '<word-left>'],
  ['xterm Meta-←, iTerm2 Option-←', `${CSI}1;9D`, '<word-left>'],
  ['xterm Ctrl-Delete', `${CSI}3;5~`, '<kill-word-right>'],
  ['xterm Alt-Delete', `${CSI}3;3~`, '<kill-word-right>'],
  ['old xterm Ctrl-→', `${CSI}5C`, '<word-right>'],
  ['old xterm Ctrl-←', `${SS3}5D`, '<word-left>'],
  ['xterm Insert', `${CSI}2~`, ''],
  ['xterm Page Up', `${CSI}5~`, ''],
  ['xterm F1', `${SS3}P`, ''],
  ['xterm F5', `${CSI}15~`, ''],
  ['xterm Shift-F1', `${CSI}1;2P`, ''],
  ['xterm Ctrl-↑', `${CSI}1;5A`, ''],
  ['keypad 5', `${SS3}u`, '5'],
  ['keypad 0', `${SS3}p`, '0'],
  ['keypad 9', `${SS3}y`, '9'],
  ['keypad +', `${SS3}k`, '+'],
  ['keypad *', `${SS3}j`, '*'],
  ['keypad .', `${SS3}n`, '.'],
  ['keypad /', `${SS3}o`, '/'],
  ['keypad Enter', `${SS3}M`, '<enter>'],
  ['xterm Shift with keypad Enter', `${SS3}2M`, '<newline>'],
  ['keypad 5 without a number', `${CSI}E`, ''],
  ['PuTTY Home', `${CSI}1~`, '<home>'],
  ['PuTTY End', `${CSI}4~`, '<end>'],
  ['PuTTY Alt-←', `${ESC}${CSI}D`, '<word-left>'],
  ['PuTTY Alt-→ with application cursor keys', `${ESC}${SS3}C`, '<word-right>'],
  ['Esc, then ↑', `${ESC}${CSI}A`, '<up>'],
  ['rxvt Home', `${CSI}7~`, '<home>'],
  ['rxvt End', `${CSI}8~`, '<end>'],
  ['rxvt Shift-↑', `${CSI}a`, '<up>'],
  ['rxvt Ctrl-→', `${SS3}c`, '<word-right>'],
  ['rxvt Ctrl-←', `${SS3}d`, '<word-left>'],
  ['rxvt Shift-Home', `${CSI}7$`, '<home>'],
  ['rxvt Shift-Delete', `${CSI}3$`, '<delete>'],
  ['rxvt Ctrl-Delete', `${CSI}3^`, '<kill-word-right>'],
  ['rxvt Ctrl-Shift-Delete', `${CSI}3@`, '<kill-word-right>'],
  ['Linux F1', `${CSI}[A`, ''],
  ['Linux F5', `${CSI}[E`, ''],
  ['Alt-Enter', `${ESC}\r`, '<newline>'],
  ['Alt-Backspace', `${ESC}\u007f`, '<kill-word-left>'],
  ['Alt-B', `${ESC}B`, '<word-left>'],
  ['Alt with a letter that has no meaning', `${ESC}x`, ''],
  ['Esc, then ^A', `${ESC}\u0001`, '<home>'],
  ['kitty ^C', `${CSI}99;5u`, '<interrupt>'],
  ['kitty ^D', `${CSI}100;5u`, '<eof>'],
  ['kitty ^C with locks on', `${CSI}99;197u`, '<interrupt>'],
  ['kitty ^C pressed', `${CSI}99;5:1u`, '<interrupt>'],
  ['kitty ^C held', `${CSI}99;5:2u`, '<interrupt>'],
  ['kitty ^C released', `${CSI}99;5:3u`, ''],
  ["kitty ^C of Dvorak's keyboard", `${CSI}99::105;5u`, '<interrupt>'],
  ['kitty ^_', `${CSI}45:95;6u`, '<undo>'],
  ['kitty ^/', `${CSI}47;5u`, '<undo>'],
  ['kitty ^H', `${CSI}104;5u`, '<backspace>'],
  ['kitty ^J', `${CSI}106;5u`, '<enter>'],
  ['kitty Enter', `${CSI}13u`, '<enter>'],
  ['kitty Shift-Enter', `${CSI}13;2u`, '<newline>'],
  ['kitty Alt-Enter', `${CSI}13;3u`, '<newline>'],
  ['kitty Ctrl-Enter', `${CSI}13;5u`, '<enter>'],
  ['kitty Enter released', `${CSI}13;1:3u`, ''],
  ['kitty Tab', `${CSI}9u`, '<tab>'],
  ['kitty Shift-Tab', `${CSI}9;2u`, '<tab>'],
  ['kitty Backspace', `${CSI}127u`, '<backspace>'],
  ['kitty Shift-Backspace', `${CSI}127;2u`, '<backspace>'],
  ['kitty Alt-Backspace', `${CSI}127;3u`, '<kill-word-left>'],
  ['kitty Ctrl-Backspace', `${CSI}127;5u`, '<kill-word-left>'],
  ['kitty Esc', `${CSI}27u`, '<cancel>'],
  ['kitty Alt-F', `${CSI}102;3u`, '<word-right>'],
  ['kitty Alt-X', `${CSI}120;3u`, ''],
  ['kitty a', `${CSI}97u`, 'a'],
  ['kitty A', `${CSI}97;2u`, 'A'],
  ['kitty a with its text', `${CSI}97;;97u`, 'a'],
  ['kitty Shift-Space', `${CSI}32;2u`, ' '],
  ['kitty Ctrl-Space', `${CSI}32;5u`, ''],
  ['kitty emoji', `${CSI}128512u`, '😀'],
  ['kitty Caps Lock itself', `${CSI}57358u`, ''],
  ['kitty left Shift itself', `${CSI}57441;2u`, ''],
  ['kitty keypad Page Up', `${CSI}57421u`, ''],
  ['kitty keypad 1', `${CSI}57400u`, '1'],
  ['kitty keypad point, pressed', `${CSI}57409;1:1u`, '.'],
  ['kitty keypad 1 released', `${CSI}57400;1:3u`, ''],
  ['kitty keypad Enter', `${CSI}57414u`, '<enter>'],
  ['kitty keypad Home', `${CSI}57423u`, '<home>'],
  ['kitty keypad Ctrl-→', `${CSI}57418;5u`, '<word-right>'],
  ['kitty ^C of a Cyrillic keyboard', `${CSI}1089::99;5:1u`, '<interrupt>'],
  ['kitty ^U of a Cyrillic keyboard', `${CSI}1075::117;5u`, '<kill-left>'],
  ['a Cyrillic letter in kitty', `${CSI}1089::99u`, 'с'],
  ['kitty ↑ released', `${CSI}1;1:3A`, ''],
  ['kitty Delete released', `${CSI}3;1:3~`, ''],
  ['a code point that is a control', `${CSI}7u`, ''],
  ['a code point that is a surrogate', `${CSI}55296u`, ''],
  ['a code point that does not exist', `${CSI}99999999u`, ''],
  ['a code without a number', `${CSI}u`, ''],
  ['modifyOtherKeys ^C', `${CSI}27;5;99~`, '<interrupt>'],
  ['modifyOtherKeys ^D', `${CSI}27;5;100~`, '<eof>'],
  ['modifyOtherKeys ^_', `${CSI}27;6;95~`, '<undo>'],
  ['modifyOtherKeys Shift-Enter', `${CSI}27;2;13~`, '<newline>'],
  ['modifyOtherKeys Alt-B', `${CSI}27;3;98~`, '<word-left>'],
  ['modifyOtherKeys !', `${CSI}27;2;33~`, '!'],
  ['mouse of SGR', `${CSI}<0;10;10M${CSI}<0;10;10m`, ''],
  ['mouse of X10', `${CSI}M !!${CSI}M#Aq`, ''],
  ['mouse of rxvt', `${CSI}32;10;10M`, ''],
  ['focus in and out', `${CSI}I${CSI}O`, ''],
  ['device attributes', `${CSI}?62;1;2c${CSI}>0;276;0c`, ''],
  ['cursor position', `${CSI}24;80R`, ''],
  ['report of a mode', `${CSI}?2026;2$y${CSI}4;1$y`, ''],
  ['kitty flags', `${CSI}?1u`, ''],
  ['size in pixels', `${CSI}4;600;800t`, ''],
  ['end of no paste', `${CSI}201~`, ''],
  ['OSC 11, the colour of the ground, with BEL', `${ESC}]11;rgb:0000/0000/0000\u0007`, ''],
  ['OSC 10 with ST', `${ESC}]10;rgb:ffff/ffff/ffff${ST}`, ''],
  ['OSC 52, the clipboard', `${ESC}]52;c;aGVsbG8=${ST}`, ''],
  ['DCS, the version of the terminal', `${ESC}P>|XTerm(379)${ST}`, ''],
  ['DCS, XTGETTCAP', `${ESC}P1+r544e=787465726d${ST}`, ''],
  ['APC, kitty graphics', `${ESC}_Gi=31;OK${ST}`, ''],
  ['PM', `${ESC}^something${ST}`, ''],
  ['a line feed', '\n', '<enter>'],
  ['NUL, ^\\ and a CSI of one byte', '\u0000\u001c\u009b', ''],
  ['SOS', `${ESC}Xsomething${ST}`, ''],
]

test.each(SEQUENCES)('the sequence of %s, %j, is decoded as %j', (_, sequence, does) => {
  expect(keysOf(`a${sequence}b`)).toBe(`a${does}b`)
  const byByte = Array.from(bytes(`a${sequence}b`), (byte) => Uint8Array.of(byte))
  expect(shown(decode(byByte))).toBe(`a${does}b`)
})

test.each([']', 'P', '_', '^', 'X'])(
  'Enter, ^C and arrow keys work in a control string that ESC %s began by mistake',
  (begin) => {
    expect(keysOf(`${ESC}${begin}hello\r`)).toBe('<enter>')
    expect(keysOf(`${ESC}${begin}hello\u0003x`)).toBe('<interrupt>x')
    expect(keysOf(`${ESC}${begin}hello${CSI}A`)).toBe('<up>')
  },
)

test('a control string ends after 4,096 characters, and later bytes are text', () => {
  expect(keysOf(`${ESC}]${'x'.repeat(4_096)}text`)).toBe('text')
})

test('an unterminated string, sequence or paste ends after one second of silence', () => {
  for (const begin of [`${ESC}]11;rgb:`, `${CSI}1;`, `${CSI}200~`]) {
    const decode = createKeyDecoder()
    decode(bytes(begin))
    expect(shown(decode(bytes('hello\r'), 1_000)), begin).toBe('hello<enter>')
  }
})

test('Esc followed by a letter is Alt with that letter even after five seconds', () => {
  const decode = createKeyDecoder()
  decode(bytes(ESC))
  expect(shown(decode(bytes('b'), 5_000))).toBe('<word-left>')
})

test('a typed ^C ends an unterminated paste, but a pasted ^C does not', () => {
  const decode = createKeyDecoder()
  expect(shown(decode(bytes(`${CSI}200~pasted\u0003 text`)))).toBe('[pasted text]')
  expect(shown(decode(bytes('\u0003'), 2))).toBe('')
  expect(shown(decode(bytes(' of several\u0003'), 200))).toBe('[ of several]')
  expect(shown(decode(bytes('\u0003'), 200))).toBe('<interrupt>')
  expect(shown(decode(bytes('typed\r')))).toBe('typed<enter>')
})

test('bytes decode to the same keys however they are split into chunks', () => {
  const part = fc.oneof(
    fc.constantFrom(...SEQUENCES.map(([, sequence]) => sequence)),
    fc.constantFrom('\r', '\r\n', '\u0003', '[', ESC, `${CSI}200~`, `${CSI}201~`, `${ESC}]`),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(200)), (parts, cuts) => {
      const all = bytes(parts.join(''))
      const at = [0, ...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length]
      const chunks = at.slice(1).map((end, index) => all.slice(at[index], end))
      expect(decode(chunks)).toEqual(decode([all]))
    }),
    { numRuns: runs(1_000) },
  )
})
