import type { ModelRefusal } from '../../../turns/model-error.ts'
import { NO_SYSTEM_ROLE, NO_TOOLS, TOO_LONG, type RefusalForm } from './refusal-forms.ts'

/** Characters of an error that are looked at. */
const MAX_ERROR_CHARS = 8_000

/** A comma that groups the digits of a number. */
const DIGIT_GROUP = /(?<=\d),(?=\d{3}\b)/g

/** Why a provider refused a request, by what it said; undefined where another request would be refused as well. */
export function refusalIn(said: string): ModelRefusal | undefined {
  const text = said.slice(0, MAX_ERROR_CHARS).toLowerCase().replaceAll(DIGIT_GROUP, '')
  if (matchIn(text, NO_TOOLS)) return { kind: 'no-tools' }
  if (matchIn(text, NO_SYSTEM_ROLE)) return { kind: 'no-system-role' }
  const tooLong = matchIn(text, TOO_LONG)
  return tooLong && { kind: 'too-long', ...numbersIn(tooLong) }
}

function matchIn(text: string, forms: readonly RefusalForm[]): RegExpExecArray | undefined {
  for (const [, pattern] of forms) {
    const match = pattern.exec(text)
    if (match) return match
  }
  return undefined
}

function numbersIn({ groups = {} }: RegExpExecArray): { tokens?: number; window?: number } {
  const tokens = Number(groups['tokens']) + Number(groups['more'] ?? 0)
  const window = Number(groups['window'])
  return {
    ...(tokens > 0 && Number.isSafeInteger(tokens) ? { tokens } : {}),
    ...(window > 0 && Number.isSafeInteger(window) ? { window } : {}),
  }
}
