import { MASK } from '../masked-messages.ts'

/**
 * Whether a tool, as a server lists it, had a secret in what a call depends on: its name, the names of its arguments, values to
 * choose from. `changed` are the objects in which one was replaced. Its schema must not be nested too deep.
 */
export const holdsMask = (tool: unknown, changed: WeakSet<object>): boolean =>
  isObject(tool) &&
  ((changed.has(tool) && String(tool['name']).includes(MASK)) || isMaskedIn(tool['inputSchema'], changed))

/** What only explains a schema. */
const EXPLAINS: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'default', 'examples'])

function isMaskedIn(value: unknown, changed: WeakSet<object>): boolean {
  if (!isObject(value)) return false
  const isMasked = (text: unknown): boolean =>
    changed.has(value) && typeof text === 'string' && text.includes(MASK)
  return Object.entries(value).some(([key, child]) => {
    if (isMasked(key)) return true
    // An argument may be called so; then its schema is an object.
    const isExplained = EXPLAINS.has(key) && (!isObject(child) || Array.isArray(child))
    return !isExplained && (isMasked(child) || isMaskedIn(child, changed))
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
