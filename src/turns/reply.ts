import { cleanText } from '../lib/clean-text.ts'

/** Characters of one reply, all steps together; a provider that writes more is stopped. */
export const REPLY_CHARS = 65_536

/** A reply while it is being written: cleaned for the room piece by piece, and once more as a whole. */
export interface Reply {
  /** Takes text as the model sends it, cut anywhere. False, and the text is cut, when the reply is full. */
  add(text: string): boolean
  /** The text of the next step is a paragraph of its own. */
  nextStep(): void
  /** Shows what was held back, and gives what is recorded: all steps, cleaned, without blank ends. */
  finish(): string
}

/** `show` gets cleaned pieces, ready to be appended to what came before. */
export function createReply(show: (text: string) => void): Reply {
  const whole: string[] = []
  let length = 0
  let gap = ''
  let cleaner = createStreamCleaner(show)

  return {
    add(text) {
      const left = REPLY_CHARS - length - gap.length
      const fitting =
        text.length <= left ? text : text.slice(0, Math.max(0, left)).replace(/[\uD800-\uDBFF]$/, '')
      if (fitting !== '') {
        whole.push(gap, fitting)
        length += gap.length + fitting.length
        cleaner.push(gap + fitting)
        gap = ''
      }
      return text.length <= left
    },
    nextStep() {
      cleaner.flush()
      cleaner = createStreamCleaner(show)
      gap = length > 0 ? '\n\n' : ''
    },
    finish() {
      cleaner.flush()
      return cleanText(whole.join('')).trim()
    },
  }
}

/** Enough of a line to know whether its next piece goes on with an escape sequence or an emoji. */
const CONTEXT_CHARS = 256

/** Half a character, half a line end, and what an escape sequence may still swallow wait for what follows. */
const UNFINISHED = /(?:[\uD800-\uDBFF]|\r|[\u001b\u0090\u0098\u009b\u009d-\u009f][^\n]*)$/

/**
 * Cleans a text that comes in pieces: each is judged together with the line before it, so that the pieces
 * shown, joined, are what cleaning the whole gives.
 */
function createStreamCleaner(show: (text: string) => void) {
  let line = ''
  let shown = 0

  function showUpTo(end: number): void {
    const clean = cleanText(line.slice(0, end))
    if (clean.length > shown) show(clean.slice(shown))
    shown = Math.max(shown, clean.length)
    if (end <= CONTEXT_CHARS && line[end - 1] !== '\n') return
    line = line.slice(end)
    shown = 0
  }

  return {
    push(piece: string): void {
      line += piece
      const waiting = UNFINISHED.exec(line)?.[0].length ?? 0
      showUpTo(line.length - (waiting > CONTEXT_CHARS ? 0 : waiting))
    },
    flush: (): void => showUpTo(line.length),
  }
}
