import { cleanName, withoutMarks } from './tool-call.ts'

/** Additions by models: `functions.grep` (GPT), `default_api.grep` (Gemini), `functions.grep:0` (Kimi). */
const NAME_WRAPPING = /^(?:functions|tools?|default_api)[.:/]|:\d+$/gi

/** Returns the known name that is meant, or else the name without characters that some provider refuses. */
export function resolveCalledName(called: string, names: Iterable<string>): string {
  const known = new Set(names)
  const forms = [called, withoutMarks(called).replace(NAME_WRAPPING, '')].map(cleanName)
  const exact = forms.find((form) => known.has(form))
  if (exact !== undefined) return exact
  const [only, ...others] = [...known].filter((name) => forms.some((form) => isSame(form, name)))
  return only !== undefined && others.length === 0 ? only : providerSafeName(forms[0] ?? '')
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Letters, digits, `_` and `-`, at most 64 (OpenAI); no digit or `-` first (Gemini). */
function providerSafeName(name: string): string {
  const known = name.replace(/[^A-Za-z0-9_-]+/g, '_')
  return (/^[A-Za-z_]/.test(known) ? known : `_${known}`).slice(0, 64)
}
