import { stringify } from 'smol-toml'
import type { McpTable } from './entry-from.ts'

/** Servers as tables of sshawl.toml, as one would write them by hand: a line for each key. */
export const tablesOf = (entries: readonly McpTable[]): string =>
  entries
    .map((entry) =>
      ['[[mcp]]', ...Object.entries(entry).map(([key, value]) => `${key} = ${valueOf(value)}`), ''].join(
        '\n',
      ),
    )
    .join('\n')

/** A text, a list of texts, or texts by name, on one line. */
function valueOf(value: string | readonly string[] | Readonly<Record<string, string>>): string {
  if (typeof value === 'string') return textOf(value)
  if (isList(value)) return `[${value.map(textOf).join(', ')}]`
  return `{ ${Object.entries(value)
    .map((pair) => stringify(Object.fromEntries([pair])).trim())
    .join(', ')} }`
}

const textOf = (text: string): string => stringify({ x: text }).trim().replace(/^x = /, '')

const isList = (value: readonly string[] | Readonly<Record<string, string>>): value is readonly string[] =>
  Array.isArray(value)
