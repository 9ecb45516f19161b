export type VtInput =
  | { readonly type: 'text'; readonly text: string }
  /** Line ends are LF. */
  | { readonly type: 'paste'; readonly text: string }
  /** C0, DEL or C1. */
  | { readonly type: 'control'; readonly char: string }
  /** ESC and a character that begins no sequence. `isLate`: ESC was a key of its own, pressed before. */
  | { readonly type: 'escape'; readonly char: string; readonly isLate: boolean }
  | {
      readonly type: 'csi' | 'ss3'
      readonly params: string
      readonly final: string
      /** True after a second ESC, with which PuTTY and rxvt send Alt. */
      readonly isAlt: boolean
    }

type State =
  | 'ground'
  | 'escape'
  | 'csi'
  | 'ss3'
  /** OSC, DCS, APC, PM or SOS. */
  | 'string'
  /** ESC in a string: perhaps its end, ST. */
  | 'string-escape'
  /** F1 to F5 of the Linux console are `ESC [[A` to `ESC [[E`. */
  | 'linux-key'
  /** X10's mouse report: three bytes follow `ESC [M`. */
  | 'mouse'
  | 'paste'

const ESC = '\u001b'
const BEL = '\u0007'
const DEL = '\u007f'
const PASTE_END = `${ESC}[201~`

const MAX_PARAMS = 64
const MOUSE_CHARS = 3
/** Answers of terminals are shorter. */
const MAX_STRING = 4_096

/**
 * Splits terminal input, cut anywhere, into text, controls and sequences (ECMA-48 5.4 and 8.3, xterm's
 * sequences). Drops strings. A control ends any sequence or string and is reported, too.
 */
export class VtParser {
  #state: State = 'ground'
  #inputs: VtInput[] = []
  #text = ''
  #params = ''
  #isAlt = false
  #isLate = false
  #stringLength = 0
  #held = ''
  #isAfterReturn = false

  /** `text` must be well-formed. Never throws. */
  parse(text: string): readonly VtInput[] {
    for (const char of text) if (!this.#step(char)) this.#ground(char)
    this.#flush()
    return this.#inputs.splice(0)
  }

  /** Marks that the next input was not sent together with the input before. */
  pause(): void {
    this.#isLate = this.#state === 'escape'
  }

  /** Gives up an unfinished paste or sequence, but not a lone ESC, which people type as Alt. */
  giveUp(): void {
    if (this.#state !== 'escape') this.#state = 'ground'
  }

  /** Returns false if the character is no part of a sequence. */
  #step(char: string): boolean {
    const state = this.#state
    if (state === 'paste') return this.#paste(char)
    if (char === ESC) {
      this.#isAlt = state === 'escape'
      this.#isLate = false
      return this.#enter(state === 'string' ? 'string-escape' : 'escape')
    }
    if (state === 'ground') return false
    if (state === 'escape') return this.#escape(char)
    if (state === 'string-escape') return char === '\\' ? this.#enter('ground') : this.#escape(char)
    if (isControl(char)) return state === 'string' && char === BEL ? this.#enter('ground') : this.#leave()
    if (state === 'string') return ++this.#stringLength <= MAX_STRING || this.#leave()
    if (state === 'linux-key') return this.#enter('ground')
    if (state === 'mouse') return ++this.#stringLength < MOUSE_CHARS || this.#enter('ground')
    return this.#sequence(state, char)
  }

  #enter(state: State): true {
    this.#state = state
    this.#params = ''
    this.#stringLength = 0
    return true
  }

  #leave(): false {
    this.#state = 'ground'
    return false
  }

  #escape(char: string): true {
    if (char === '[') return this.#enter('csi')
    if (char === 'O') return this.#enter('ss3')
    if (']PX^_'.includes(char)) return this.#enter('string')
    this.#push({ type: 'escape', char, isLate: this.#isLate })
    return this.#enter('ground')
  }

  #sequence(type: 'csi' | 'ss3', char: string): boolean {
    const params = this.#params
    if (isFinal(char, params)) return this.#end(type, char)
    const goesOn = type === 'csi' ? char <= '~' : /^[\d;]$/.test(char)
    if (!goesOn || params.length === MAX_PARAMS) return this.#leave()
    this.#params += char
    return true
  }

  #end(type: 'csi' | 'ss3', final: string): true {
    const params = this.#params
    if (type === 'csi' && params + final === '200~') return this.#beginPaste()
    if (type === 'csi' && params + final === '[') return this.#enter('linux-key')
    if (type === 'csi' && params + final === 'M') return this.#enter('mouse')
    this.#push({ type, params, final, isAlt: this.#isAlt })
    return this.#enter('ground')
  }

  #beginPaste(): true {
    this.#flush()
    this.#held = ''
    return this.#enter('paste')
  }

  #paste(char: string): true {
    const held = this.#held + char
    const isOfLineEnd = char === '\n' && this.#isAfterReturn
    this.#isAfterReturn = char === '\r'
    if (held === PASTE_END) {
      this.#flush()
      return this.#enter('ground')
    }
    if (PASTE_END.startsWith(held)) {
      this.#held = held
      return true
    }
    this.#text += this.#held.slice(ESC.length)
    this.#held = char === ESC ? ESC : ''
    if (char === '\r') this.#text += '\n'
    else if (!isOfLineEnd && (char === '\n' || char === '\t' || !isControl(char))) this.#text += char
    return true
  }

  #ground(char: string): void {
    if (isControl(char)) this.#push({ type: 'control', char })
    else this.#text += char
  }

  #push(input: VtInput): void {
    this.#flush()
    this.#inputs.push(input)
  }

  #flush(): void {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    this.#inputs.push({ type: this.#state === 'paste' ? 'paste' : 'text', text })
  }
}

const isControl = (char: string): boolean => char < ' ' || (char >= DEL && char <= '\u009f')

/** rxvt ends Shift-Delete and similar keys with `$`. Answers to DECRQM have other parameters before `$`. */
const isFinal = (char: string, params: string): boolean =>
  (char >= '@' && char <= '~') || (char === '$' && /^\d+$/.test(params))
