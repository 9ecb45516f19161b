import { lineOf } from './locate.ts'

/** What is wrong with a file that its schema does not say: where, and a sentence. */
export interface ConfigProblem {
  /** From 1. */
  readonly line: number
  readonly sentence: string
}

/**
 * Names that are used twice, and settings that are planned and do nothing yet: accepting those in silence would mislead.
 * It looks at the file as it was written, so that the schema's problems hide none of these.
 */
export const problemsBeyondSchema = (written: unknown, text: string): readonly ConfigProblem[] =>
  [...namesTwice(written, 'models'), ...namesTwice(written, 'mcp'), ...planned(written)].map(
    ({ path, sentence }) => ({ line: lineOf(text, path), sentence }),
  )

interface Found {
  readonly path: readonly string[]
  readonly sentence: string
}

function* namesTwice(written: unknown, list: 'models' | 'mcp'): Iterable<Found> {
  const seen = new Set<unknown>()
  for (const [index, entry] of listAt(written, list).entries()) {
    const name = at(entry, 'name')
    if (typeof name === 'string' && seen.has(name))
      yield { path: [list, String(index), 'name'], sentence: `the name ${name} is used twice` }
    seen.add(name)
  }
}

function* planned(written: unknown): Iterable<Found> {
  if (listAt(written, 'mcp').length > 0)
    yield {
      path: ['mcp', '0'],
      sentence: 'mcp: this version does not connect to MCP servers yet; leave it out',
    }
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key)
  return Array.isArray(list) ? list : []
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined
