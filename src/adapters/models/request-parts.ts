import { userContent, type Prompt } from '../../prompt/prompt.ts'

/** The first two messages of a request. A model that takes no system message has its text at the head of the user's part. */
export function headOf(prompt: Prompt, withoutSystemRole: boolean): { system: string; user: string } {
  const user = userContent(prompt)
  if (!withoutSystemRole || prompt.system === '') return { system: prompt.system, user }
  return { system: '', user: `${prompt.system}\n\n${user}` }
}

/** A call's arguments as an object. Providers refuse a history with unparsable arguments: those go as `{}`. */
export function argumentsAsObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  } catch {
    return {}
  }
}
