import { cleanText, isBlank } from '../lib/clean-text.ts'
import { Refusal } from './errors.ts'

/** How much one message may hold. */
export interface SpeechLimits {
  /** Characters (code points). */
  readonly chars: number
  readonly lines: number
}

/** The text as it may be stored and shown. Throws `Refusal` where nothing visible is left or it is too long. */
export function speech(raw: string, limits: SpeechLimits): string {
  const text = cleanText(raw).replace(/\n+$/, '')
  if (isBlank(text)) throw new Refusal('there is nothing to say: the message is empty')
  const chars = [...text].length
  if (chars > limits.chars) {
    throw new Refusal(`the message has ${chars} characters and ${limits.chars} are allowed; nothing was sent`)
  }
  const lines = text.split('\n').length
  if (lines > limits.lines) {
    throw new Refusal(`the message has ${lines} lines and ${limits.lines} are allowed; nothing was sent`)
  }
  return text
}

/** One line of text for a topic, a vibe, a key: at most `chars` characters. Throws `Refusal`. */
export function oneLine(raw: string, chars: number): string {
  const text = cleanText(raw).replace(/\s+/gu, ' ').trim()
  if ([...text].length > chars) throw new Refusal(`that is too long: ${chars} characters are allowed`)
  return text
}
