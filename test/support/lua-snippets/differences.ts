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

/** A line for each, of what the snippet is, what Lua 5.4 makes of it, and what the engine does. */
export const listOf = (differences: readonly Difference[]): string =>
  differences
    .map(({ snippet, lua, engine }) => `${snippet}\n  Lua 5.4: ${lua}\n  engine:  ${engine}\n`)
    .join('')
