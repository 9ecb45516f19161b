import type { CatalogueTool } from '../snapshot.ts'

/** The words of the tools layer. Each ends with a line break, and begins at the margin: so the tokens of its lines add up. */
export interface ToolWords {
  /** Stands before the lines of the tools that are sent. */
  readonly loaded: string
  /** Stands before the names of the tools that are not sent. */
  readonly deferred: string
  /** The last line where not all names are listed; `%d` is how many more there are. */
  readonly more: string
}

/** Tokens that the names of deferred tools may have of an allowance. A fixed part, so that a larger allowance pays for it. */
export const namesAllowance = (allowance: number): number => Math.floor(allowance / 4)

/** The lines of deferred tools that are listed, and the line that says how many others there are. */
interface DeferredNames {
  readonly lines: ReadonlyMap<CatalogueTool, string>
  /** Empty where all are listed. */
  readonly more: string
}

/** Lists whole names, the first ones of `deferred`, as far as `allowance` tokens reach. */
export function deferredNames(
  deferred: readonly { readonly tool: CatalogueTool; readonly line: string; readonly lineTokens: number }[],
  allowance: number,
  { more }: Pick<ToolWords, 'more'>,
  count: (text: string) => number,
): DeferredNames {
  const linesOf = (listed: typeof deferred) => new Map(listed.map(({ tool, line }) => [tool, line]))
  if (tokensOf(deferred) <= allowance) return { lines: linesOf(deferred), more: '' }
  const moreOf = (left: number): string => more.replace('%d', String(left))
  // No smaller number has more tokens than that of all.
  let left = allowance - count(moreOf(deferred.length))
  if (left < 0) return { lines: new Map(), more: '' }
  const end = deferred.findIndex(({ lineTokens }) => (left -= lineTokens) < 0)
  const listed = deferred.slice(0, end)
  return { lines: linesOf(listed), more: moreOf(deferred.length - listed.length) }
}

const tokensOf = (lines: readonly { readonly lineTokens: number }[]): number =>
  lines.reduce((sum, { lineTokens }) => sum + lineTokens, 0)
