import { format } from 'prettier'

/** A snippet on which an engine differs from Lua 5.4, and what each makes of it. */
export interface Difference {
  readonly snippet: string
  readonly lua: string
  readonly engine: string
}

/** The snippets of `lua`, in their order, for which the engine has another result. */
export const differencesOf = (
  lua: ReadonlyMap<string, string>,
  engine: ReadonlyMap<string, string>,
): readonly Difference[] =>
  [...lua]
    .map(([snippet, result]) => ({ snippet, lua: result, engine: engine.get(snippet) ?? '' }))
    .filter((difference) => difference.lua !== difference.engine)

/** docs/lua-engines.md with these as a list between the marks of an engine, as prettier wants it. Throws without marks. */
export function withList(page: string, engine: string, differences: readonly Difference[]): Promise<string> {
  const [begin, end] = [`<!-- differences of ${engine} -->`, `<!-- end -->`]
  const from = page.indexOf(begin)
  const to = page.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`the page has no marks for ${engine}`)
  const items = differences.flatMap(({ snippet, ...results }) => [
    `- ${snippet}`,
    `  - Lua 5.4: ${code(results.lua)}`,
    `  - ${engine}: ${code(results.engine)}`,
  ])
  const text = [page.slice(0, from + begin.length), '', ...items, '', page.slice(to)].join('\n')
  return format(text, { parser: 'markdown', printWidth: 110 })
}

/** More of a result is not shown. */
const MAX_CHARACTERS = 90

function code(result: string): string {
  const shown = result.length > MAX_CHARACTERS ? `${result.slice(0, MAX_CHARACTERS)}…` : result
  const fence = shown.includes('`') ? '``' : '`'
  return `${fence}${shown}${fence}`
}
