import { MASK, type MaskedObjects } from '../masked-messages.ts'

/**
 * The objects in which a tool, as a server lists it, had a secret in what a call depends on: its name, the names of its arguments,
 * values to choose from. `changed` has those in which one was replaced. Its schema must not be nested too deep.
 */
export const maskedIn = (tool: unknown, changed: MaskedObjects): readonly object[] =>
  isObject(tool)
    ? [
        ...(changed.has(tool) && String(tool['name']).includes(MASK) ? [tool] : []),
        ...maskedInSchema(tool['inputSchema'], changed),
      ]
    : []

/** What only explains a schema. */
const EXPLAINS: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'default', 'examples'])

function maskedInSchema(value: unknown, changed: MaskedObjects): readonly object[] {
  if (!isObject(value)) return []
  const isMasked = (text: unknown): boolean =>
    changed.has(value) && typeof text === 'string' && text.includes(MASK)
  return Object.entries(value).flatMap(([key, child]) => {
    if (isMasked(key)) return [value]
    // An argument may be called so; then its schema is an object.
    const isExplained = EXPLAINS.has(key) && (!isObject(child) || Array.isArray(child))
    if (isExplained) return []
    return isMasked(child) ? [value] : maskedInSchema(child, changed)
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
