import type { ModelRefusal } from '../../../turns/model-error.ts'
import {
  NO_SYSTEM_ROLE,
  NO_TOOLS,
  OVER_MINUTE,
  TOO_LONG,
  TOO_LONG_NOW,
  type RefusalForm,
} from './refusal-forms.ts'

/** Characters of an error that are looked at. */
const MAX_ERROR_CHARS = 8_000

/** A comma that groups the digits of a number. */
const DIGIT_GROUP = /(?<=\d),(?=\d{3}\b)/g

/** Why a provider refused a request, by what it said; undefined where another request would be refused as well. */
export function refusalIn(said: string): ModelRefusal | undefined {
  const text = readable(said)
  if (matchIn(text, NO_TOOLS)) return { kind: 'no-tools' }
  if (matchIn(text, NO_SYSTEM_ROLE)) return { kind: 'no-system-role' }
  if (matchIn(text, TOO_LONG_NOW)) return { kind: 'too-long', isPassing: true }
  const tooLong = matchIn(text, TOO_LONG)
  return tooLong && { kind: 'too-long', ...numbersIn(tooLong) }
}

/** The same of an answer that names a limit of requests: most of these pass by themselves, and are no refusals. */
export function minuteRefusalIn(said: string): ModelRefusal | undefined {
  const overMinute = matchIn(readable(said), OVER_MINUTE)
  return overMinute && { kind: 'too-long', ...numbersIn(overMinute) }
}

const readable = (said: string): string =>
  said.slice(0, MAX_ERROR_CHARS).toLowerCase().replaceAll(DIGIT_GROUP, '')

function matchIn(text: string, forms: readonly RefusalForm[]): RegExpExecArray | undefined {
  for (const [, pattern] of forms) {
    const match = pattern.exec(text)
    if (match) return match
  }
  return undefined
}

function numbersIn({ groups = {} }: RegExpExecArray): { tokens?: number; total?: number; window?: number } {
  const numbers = {
    tokens: Number(groups['tokens']) + Number(groups['more'] ?? 0),
    total: Number(groups['total']),
    window: Number(groups['window']),
  }
  return Object.fromEntries(Object.entries(numbers).filter(([, one]) => one > 0 && Number.isSafeInteger(one)))
}
