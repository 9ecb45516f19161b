import { cleanText } from '../lib/clean-text.ts'

/** Characters of one reply, all steps together; a provider that writes more is stopped. */
export const REPLY_CHARS = 65_536

/** A reply while it is being written: cleaned for the room piece by piece, and once more as a whole. */
export interface Reply {
  /** Takes text as the model sends it, cut anywhere. False, and the text is cut, when the reply is full. */
  add(text: string): boolean
  /** The text of the next step is a paragraph of its own. */
  nextStep(): void
  /** What is recorded: all steps, cleaned, without blank ends. */
  text(): string
}

/** `show` gets cleaned pieces, ready to be appended to what came before. */
export function createReply(show: (text: string) => void): Reply {
  const whole: string[] = []
  let length = 0
  let pending = ''
  let cleaner = createStreamCleaner()

  function append(text: string): void {
    whole.push(text)
    length += text.length
    const piece = cleaner(text)
    if (piece !== '') show(piece)
  }

  return {
    add(text) {
      const room = REPLY_CHARS - length - pending.length
      const fits = room <= 0 ? '' : text.slice(0, room).toWellFormed()
      if (fits !== '') append(pending + fits)
      if (fits !== '') pending = ''
      return text.length <= room
    },
    nextStep() {
      pending = length > 0 ? '\n\n' : ''
      cleaner = createStreamCleaner()
    },
    text: () => cleanText(whole.join('')).trim(),
  }
}

/** Enough of the line before a piece to know whether the piece goes on with an escape sequence or an emoji. */
const CONTEXT_CHARS = 256

/**
 * Cleans a text that comes in pieces: what is cut in the middle of a character, an escape sequence or a
 * line end is judged together with what follows, so that the pieces joined are what cleaning the whole gives.
 */
function createStreamCleaner(): (piece: string) => string {
  let line = ''
  let shown = 0
  return (piece) => {
    line += piece
    // Half a character and half a line end wait for the other half.
    const ready = line.replace(/[\uD800-\uDBFF\r]$/, '')
    const clean = cleanText(ready)
    const fresh = clean.slice(shown)
    shown = Math.max(shown, clean.length)
    if (ready.length > CONTEXT_CHARS || ready.endsWith('\n')) {
      line = line.slice(ready.length)
      shown = 0
    }
    return fresh
  }
}
