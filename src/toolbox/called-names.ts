import { cleanName, withoutMarks } from './tool-call.ts'

/**
 * What some models write around a name: `functions.grep` (GPT), `default_api.grep` (Gemini), `functions.grep:0` (Kimi).
 */
const AROUND = /^(?:functions|tools?|default_api)[.:/]|:\d+$/gi

/**
 * The one of these names that a called name can mean. If it is none of them, or could be two, the called name in
 * the characters that every provider takes back in the history of a turn.
 */
export function meantName(called: string, names: Iterable<string>): string {
  const known = new Set(names)
  const forms = [called, withoutMarks(called).replace(AROUND, '')].map(cleanName)
  const exact = forms.find((form) => known.has(form))
  if (exact !== undefined) return exact
  const [only, ...others] = [...known].filter((name) => forms.some((form) => isSame(form, name)))
  return only !== undefined && others.length === 0 ? only : returnable(forms[0] ?? '')
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Letters, digits, `_` and `-`, at most 64 (OpenAI); no digit or `-` first (Gemini). */
function returnable(name: string): string {
  const known = name.replace(/[^A-Za-z0-9_-]+/g, '_')
  return (/^[A-Za-z_]/.test(known) ? known : `_${known}`).slice(0, 64)
}
