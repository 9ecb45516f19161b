import { cleanText, isBlank } from '../lib/text/clean-text.ts'
import { Refusal } from './errors.ts'

/**
 * How much one message may hold, as `[limits]` has it. What has several lines was pasted or piped, and may be longer
 * than what is typed.
 */
export interface MessageLimits {
  /** Characters (code points) of a single line. */
  readonly message_chars: number
  /** UTF-8 bytes of a text of several lines. */
  readonly paste_bytes: number
  readonly message_lines: number
}

/** The text as it may be stored and shown. Throws `Refusal` where nothing visible is left or it is too long. */
export function messageText(raw: string, limits: MessageLimits): string {
  const text = cleanText(raw).replace(/\n+$/, '')
  if (isBlank(text)) throw new Refusal('there is nothing to say: the message is empty')
  const lines = text.split('\n').length
  if (lines === 1) needAtMost(limits.message_chars, [...text].length, 'characters')
  else needAtMost(limits.paste_bytes, new TextEncoder().encode(text).length, 'bytes')
  needAtMost(limits.message_lines, lines, 'lines')
  return text
}

function needAtMost(allowed: number, found: number, what: string): void {
  if (found <= allowed) return
  throw new Refusal(`the message has ${found} ${what} and ${allowed} are allowed; nothing was sent`)
}

/** One line of text for a topic, a vibe, a key: at most `chars` characters. Throws `Refusal`. */
export function oneLine(raw: string, chars: number): string {
  const text = cleanText(raw).replace(/\s+/gu, ' ').trim()
  if ([...text].length > chars) throw new Refusal(`that is too long: ${chars} characters are allowed`)
  return text
}
