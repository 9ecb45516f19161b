import { VtParser, type VtInput } from './vt-parser.ts'

interface KeyHelp {
  readonly keys: string
  readonly does: string
}

/** The source of the decoder, of `/help keys` and of docs/keys.md. */
export const KEYS = {
  enter: { keys: 'Enter', does: 'send the line' },
  newline: { keys: 'Alt-Enter', does: 'break the line' },
  tab: { keys: 'Tab', does: 'complete a word' },
  up: { keys: '↑, Ctrl-P', does: 'the line before' },
  down: { keys: '↓, Ctrl-N', does: 'the next line' },
  search: { keys: 'Ctrl-R', does: 'look for an older line' },
  'search-newer': { keys: 'Ctrl-S', does: 'back to a newer one' },
  cancel: { keys: 'Esc, Ctrl-G', does: 'give up looking' },
  left: { keys: '←, Ctrl-B', does: 'a character back' },
  right: { keys: '→, Ctrl-F', does: 'a character on' },
  'word-left': { keys: 'Alt-B, Ctrl-←', does: 'a word back' },
  'word-right': { keys: 'Alt-F, Ctrl-→', does: 'a word on' },
  home: { keys: 'Ctrl-A, Home', does: 'to the beginning' },
  end: { keys: 'Ctrl-E, End', does: 'to the end' },
  backspace: { keys: 'Backspace', does: 'delete to the left' },
  delete: { keys: 'Delete', does: 'delete to the right' },
  'kill-word': { keys: 'Ctrl-W', does: 'cut back to a blank' },
  'kill-word-left': { keys: 'Alt-Backspace', does: 'cut a word back' },
  'kill-word-right': { keys: 'Alt-D', does: 'cut a word' },
  'kill-left': { keys: 'Ctrl-U', does: 'cut to the beginning' },
  'kill-right': { keys: 'Ctrl-K', does: 'cut to the end' },
  yank: { keys: 'Ctrl-Y', does: 'put back what was cut' },
  'yank-pop': { keys: 'Alt-Y', does: 'an older cut instead' },
  undo: { keys: 'Ctrl-_', does: 'undo' },
  transpose: { keys: 'Ctrl-T', does: 'swap characters' },
  'transpose-words': { keys: 'Alt-T', does: 'swap words' },
  'upper-word': { keys: 'Alt-U', does: 'a word in upper case' },
  'lower-word': { keys: 'Alt-L', does: 'a word in lower case' },
  'capital-word': { keys: 'Alt-C', does: 'a word with a capital' },
  'next-room': { keys: 'Alt-A', does: 'go where you are named' },
  stop: { keys: 'Ctrl-X', does: 'stop what you started' },
  clear: { keys: 'Ctrl-L', does: 'clear the screen' },
  interrupt: { keys: 'Ctrl-C', does: 'clear the line' },
  eof: { keys: 'Ctrl-D', does: 'leave (empty line)' },
} as const satisfies Readonly<Record<string, KeyHelp>>

export type KeyName = keyof typeof KEYS

export const KEY_HELP: readonly KeyHelp[] = Object.values(KEYS)

/** A paste may come in pieces; its line ends are LF. */
export type Key =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'press'; readonly name: KeyName }

/** Silence after which an unfinished paste or sequence is given up. */
const GIVE_UP_MS = 1_000
/** Silence after which a key was pressed by itself: ^C is then no part of a paste, and ESC is not Alt. */
const PRESS_MS = 10

/**
 * Decodes UTF-8 with the sequences of xterm, rxvt, PuTTY, the Linux console and kitty's keyboard protocol.
 * Bytes may be split anywhere. `silentMs`: time without input before them. Skips unknown keys; invalid UTF-8
 * becomes U+FFFD.
 */
export function createKeyDecoder() {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  const parser = new VtParser()
  return (bytes: Uint8Array, silentMs = 0): Key[] => {
    const alone = silentMs >= PRESS_MS && bytes.length === 1 ? bytes[0] : undefined
    const isPressed = alone === INTERRUPT
    if (silentMs >= PRESS_MS) parser.pause()
    if (isPressed || silentMs >= GIVE_UP_MS) parser.giveUp()
    const keys = parser.parse(utf8.decode(bytes, { stream: true })).flatMap((input) => keyOf(input) ?? [])
    // The next bytes may make it another key, which does no harm: Esc only ends a search.
    return alone === ESCAPE ? [...keys, { type: 'press', name: 'cancel' }] : keys
  }
}

const INTERRUPT = 0x03
const ESCAPE = 0x1b

type Sequence = Extract<VtInput, { readonly type: 'csi' | 'ss3' }>

function keyOf(input: VtInput): Key | undefined {
  switch (input.type) {
    case 'text':
    case 'paste':
      return input
    case 'control':
      return press(chordOf(input.char))
    // Esc alone means nothing here, so the key after it keeps its own meaning. Alt sends both at once.
    case 'escape': {
      const pressed = press(`Alt-${chordOf(input.char)}`) ?? press(chordOf(input.char))
      return pressed ?? (input.isLate ? textOf(input.char) : undefined)
    }
    case 'csi':
    case 'ss3':
      return keyOfSequence(input)
  }
}

const MORE_CHORDS: Readonly<Record<string, KeyName>> = {
  'Alt-←': 'word-left',
  'Alt-→': 'word-right',
  'Alt-Delete': 'kill-word-right',
  'Ctrl-Delete': 'kill-word-right',
  'Ctrl-Backspace': 'kill-word-left',
  'Ctrl-Enter': 'enter',
  'Shift-Enter': 'newline',
  'Ctrl-H': 'backspace',
  'Ctrl-I': 'tab',
  'Ctrl-J': 'enter',
  'Ctrl-M': 'enter',
  'Ctrl-/': 'undo',
  // Some terminals send the key `-` with Shift, not the underscore.
  'Ctrl-Shift--': 'undo',
}

const CHORDS: ReadonlyMap<string, KeyName> = new Map([
  ...(Object.keys(KEYS) as KeyName[]).flatMap((name) =>
    KEYS[name].keys.split(', ').map((chord) => [chord, name] as const),
  ),
  ...Object.entries(MORE_CHORDS),
])

/** Falls back to the key without Shift if the key with Shift has no binding. */
function press(chord: string): Key | undefined {
  const name = CHORDS.get(chord) ?? CHORDS.get(chord.replace('Shift-', ''))
  return name && { type: 'press', name }
}

/** Returns undefined for control characters, whatever a sequence says. */
const textOf = (text: string): Key | undefined =>
  text === '' || /[\p{Cc}\p{Cs}]/u.test(text) ? undefined : { type: 'text', text }

const NAMED: Readonly<Record<string, string>> = {
  '\b': 'Backspace',
  '\t': 'Tab',
  '\n': 'Enter',
  '\r': 'Enter',
  '\u001b': 'Esc',
  '\u007f': 'Backspace',
}

/** Returns `Ctrl-A` for a control character, and capitals for letters. */
const chordOf = (char: string): string =>
  NAMED[char] ?? (char < ' ' ? `Ctrl-${String.fromCharCode(char.charCodeAt(0) + 0x40)}` : char.toUpperCase())

/** Keys of `CSI` and `SS3` by final character. */
const FINALS: Readonly<Record<string, string>> = {
  A: '↑',
  B: '↓',
  C: '→',
  D: '←',
  H: 'Home',
  F: 'End',
  Z: 'Shift-Tab',
}

/** Keys of `CSI` by the number before `~`. */
const NUMBERED: Readonly<Record<string, string>> = {
  '1': 'Home',
  '3': 'Delete',
  '4': 'End',
  '7': 'Home',
  '8': 'End',
}

/** rxvt sends other finals than `~` with Shift and Ctrl. */
const RXVT_MODIFIERS: Readonly<Record<string, string>> = {
  '~': '',
  $: 'Shift-',
  '^': 'Ctrl-',
  '@': 'Ctrl-Shift-',
}

const KEYPAD = '*+,-./0123456789'

/** The keypad in kitty's protocol, from 57399 on; keys of more than one letter by name. */
const KITTY_KEYPAD = [
  ...Array.from('0123456789./*-+'),
  ...['Enter', '=', ',', '←', '→', '↑', '↓', 'PageUp', 'PageDown', 'Home', 'End', 'Insert', 'Delete'],
]
const KITTY_KEYPAD_FROM = 57_399

function keyOfSequence({ type, params, final, isAlt }: Sequence): Key | undefined {
  if (!/^[\d;:]*$/.test(params)) return undefined
  const fields = params.split(';')
  if (type === 'csi' && final === 'u') return keyOfCode(fields[0], fields[1])
  if (final === '~' && fields[0] === '27') return keyOfCode(fields[2], fields[1])
  if (type === 'ss3' && final >= 'j' && final <= 'y') return textOf(KEYPAD.charAt(final.charCodeAt(0) - 0x6a))
  const modifiers = modifiersOf(final in RXVT_MODIFIERS ? fields[1] : fields.at(-1))
  const chord = chordOfSequence(type, fields[0] ?? '', final)
  if (chord === undefined || modifiers.isRelease) return undefined
  const whole = modifiers.prefix + chord
  return (isAlt ? press(`Alt-${whole}`) : undefined) ?? press(whole)
}

function chordOfSequence(type: 'csi' | 'ss3', number: string, final: string): string | undefined {
  const rxvt = RXVT_MODIFIERS[final]
  if (rxvt !== undefined) return NUMBERED[number] && rxvt + NUMBERED[number]
  if (type === 'ss3' && final === 'M') return 'Enter'
  if (type === 'ss3' && final === 'I') return 'Tab'
  const isRxvtArrow = final >= 'a' && final <= 'd' && number === ''
  if (isRxvtArrow) return (type === 'csi' ? 'Shift-' : 'Ctrl-') + FINALS[final.toUpperCase()]
  return FINALS[final]
}

/** Bits of a modifier parameter less one. 8 is Meta in xterm and Super in kitty, 32 is Meta in kitty. */
const SHIFT = 1
const ALT = 2 | 8 | 32
const CTRL = 4

function modifiersOf(field = '') {
  const [modifiers, event] = field.split(':')
  const bits = Math.max(0, Number(modifiers) - 1)
  const [ctrl, alt, shift] = [bits & CTRL, bits & ALT, bits & SHIFT]
  const prefix = (ctrl ? 'Ctrl-' : '') + (alt ? 'Alt-' : '') + (shift ? 'Shift-' : '')
  return { bits, prefix, isRelease: event === '3' }
}

/**
 * Decodes `CSI code ; modifiers u` of kitty's protocol and `CSI 27 ; modifiers ; code ~` of xterm. We turn
 * neither on, but people configure terminals to send them, and another program may have left one on.
 */
function keyOfCode(codes = '', modifier = ''): Key | undefined {
  const [code = NaN, , base = NaN] = codes.split(':').map(Number)
  const { bits, prefix, isRelease } = modifiersOf(modifier)
  const onKeypad = isRelease ? undefined : KITTY_KEYPAD[code - KITTY_KEYPAD_FROM]
  if (onKeypad !== undefined)
    return press(prefix + onKeypad) ?? (onKeypad.length === 1 ? textOf(onKeypad) : undefined)
  // Keys without text have code points for private use.
  if (isRelease || code > 0x10_ffff || (code >= 0xe000 && code <= 0xf8ff)) return undefined
  const char = String.fromCodePoint(code)
  const isNamed = NAMED[char] !== undefined
  // On a keyboard of another script the key has the chord of its place on a Latin one.
  const latin = base > 0x20 && base < 0x7f ? press(prefix + chordOf(String.fromCharCode(base))) : undefined
  const pressed = isNamed || bits & (CTRL | ALT) ? (press(prefix + chordOf(char)) ?? latin) : undefined
  if (pressed || isNamed || bits & (CTRL | ALT)) return pressed
  return textOf(bits & SHIFT ? char.toUpperCase() : char)
}
