/** A key without text of its own. */
export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'word-left'
  | 'word-right'
  | 'kill-right'
  | 'kill-left'
  | 'kill-word'
  | 'kill-word-left'
  | 'kill-word-right'
  | 'yank'
  | 'yank-pop'
  | 'undo'
  | 'search'
  | 'search-newer'
  | 'cancel'
  | 'transpose'
  | 'transpose-words'
  | 'upper-word'
  | 'lower-word'
  | 'capital-word'
  | 'redraw'
  | 'interrupt'
  | 'eof'
  | 'stop'

/** What somebody did on the keyboard. A paste may come in several pieces, of which all but the first go `on`; its line ends are LF. */
export type Key =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string; readonly on?: true }
  | { readonly type: 'press'; readonly name: KeyName }

/**
 * Makes a decoder of what a terminal sends: UTF-8 with the control sequences of ECMA-48 and xterm. Bytes may
 * be cut anywhere, also within a character or a sequence. Keys that mean nothing here are left out; invalid
 * UTF-8 becomes U+FFFD.
 */
export function createKeyDecoder(): (bytes: Uint8Array) => Key[] {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  let state: DecoderState = { pending: '', pasting: 'no' }
  return (bytes) => {
    const { keys, ...next } = decodeKeys(state, utf8.decode(bytes, { stream: true }))
    state = next
    return keys
  }
}

interface DecoderState {
  /** The beginning of a sequence whose end has not come yet. */
  readonly pending: string
  readonly pasting: Pasting
}

/** `begun` as long as no piece of it came. */
type Pasting = 'no' | 'begun' | 'on'

const PASTE_BEGIN = '\u001b[200~'
const PASTE_END = '\u001b[201~'

function decodeKeys(state: DecoderState, input: string): DecoderState & { readonly keys: Key[] } {
  const keys: Key[] = []
  let { pasting } = state
  let rest = state.pending + input
  for (;;) {
    const step = pasting === 'no' ? takeKey(rest) : takePaste(rest, pasting)
    if (!step) return { keys, pending: rest, pasting }
    if (step.key) keys.push(step.key)
    if (step.pasting !== undefined) pasting = step.pasting
    rest = rest.slice(step.length)
  }
}

interface Step {
  readonly length: number
  readonly key?: Key
  readonly pasting?: Pasting
}

/** Undefined where more input is needed. */
function takePaste(rest: string, pasting: Pasting): Step | undefined {
  const end = rest.indexOf(PASTE_END)
  if (end === 0) return { length: PASTE_END.length, pasting: 'no' }
  const length = end > 0 ? end : rest.length - heldBack(rest)
  if (length === 0) return undefined
  const text = pastedText(rest.slice(0, length))
  return { length, key: { type: 'paste', text, ...(pasting === 'on' ? { on: true } : {}) }, pasting: 'on' }
}

/** How many units at the end may belong to what comes next: a part of the closing sequence, or half a CR LF. */
function heldBack(rest: string): number {
  const escape = rest.lastIndexOf('\u001b')
  if (escape >= 0 && PASTE_END.startsWith(rest.slice(escape)))
    return rest.length - escape + Number(rest[escape - 1] === '\r')
  return Number(rest.endsWith('\r'))
}

const pastedText = (text: string): string => text.replace(/\r\n?/g, '\n').replace(CONTROLS, '')

const CONTROLS = /(?![\n\t])\p{Cc}/gu

/** Undefined where more input is needed. */
function takeKey(rest: string): Step | undefined {
  if (rest === '') return undefined
  if (rest[0] === '\u001b') return takeEscape(rest)
  const text = /^\P{Cc}+/u.exec(rest)?.[0]
  if (text) return { length: text.length, key: { type: 'text', text } }
  return press(1, CONTROL_KEYS[rest.charAt(0)])
}

/** After the ESC. */
const CSI = /^\[[0-?]*[ -/]*[@-~]/
const CSI_BEGIN = /^(\[[0-?]*[ -/]*|O)?$/
/** No terminal sends a longer sequence, so we do not wait for the end of one. */
const MAX_SEQUENCE_UNITS = 32

function takeEscape(rest: string): Step | undefined {
  if (rest.startsWith(PASTE_BEGIN)) return { length: PASTE_BEGIN.length, pasting: 'begun' }
  const body = rest.slice(1, MAX_SEQUENCE_UNITS)
  const sequence = CSI.exec(body)
  if (sequence) return press(1 + sequence[0].length, CSI_KEYS[sequence[0].slice(1)])
  if (CSI_BEGIN.test(body))
    return rest.length < MAX_SEQUENCE_UNITS ? undefined : { length: MAX_SEQUENCE_UNITS }
  if (body[0] === 'O') return press(3, CSI_KEYS[body.charAt(1)])
  const name = ALT_KEYS[body.charAt(0).toLowerCase()]
  // Esc alone means nothing here, so the key after it keeps its own meaning.
  return name ? press(2, name) : { length: 1 }
}

const press = (length: number, name: KeyName | undefined): Step =>
  name ? { length, key: { type: 'press', name } } : { length }

type KeyTable = Readonly<Record<string, KeyName>>

const CONTROL_KEYS: KeyTable = {
  '\u0001': 'home',
  '\u0002': 'left',
  '\u0003': 'interrupt',
  '\u0004': 'eof',
  '\u0005': 'end',
  '\u0006': 'right',
  '\u0007': 'cancel',
  '\b': 'backspace',
  '\t': 'tab',
  '\n': 'enter',
  '\u000b': 'kill-right',
  '\f': 'redraw',
  '\r': 'enter',
  '\u000e': 'down',
  '\u0010': 'up',
  '\u0012': 'search',
  '\u0013': 'search-newer',
  '\u0014': 'transpose',
  '\u0015': 'kill-left',
  '\u0017': 'kill-word',
  '\u0018': 'stop',
  '\u0019': 'yank',
  '\u001f': 'undo',
  '\u007f': 'backspace',
}

/** After `CSI` or `SS3`. The modifiers are xterm's (2 shift, 3 alt, 5 control). */
const CSI_KEYS: KeyTable = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '3~': 'delete',
  '1;3C': 'word-right',
  '1;5C': 'word-right',
  '1;3D': 'word-left',
  '1;5D': 'word-left',
  '3;3~': 'kill-word-right',
  '3;5~': 'kill-word-right',
  '13;2u': 'newline',
  '13;3u': 'newline',
  '27;2;13~': 'newline',
  '27;3;13~': 'newline',
}

/** As readline has them, in either case of the letter. */
const ALT_KEYS: KeyTable = {
  b: 'word-left',
  f: 'word-right',
  d: 'kill-word-right',
  y: 'yank-pop',
  t: 'transpose-words',
  u: 'upper-word',
  l: 'lower-word',
  c: 'capital-word',
  '\u007f': 'kill-word-left',
  '\b': 'kill-word-left',
  '\r': 'newline',
  '\n': 'newline',
}
