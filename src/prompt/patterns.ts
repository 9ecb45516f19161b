import { compileGlob } from '../lib/glob.ts'
import type { CatalogueTool } from './snapshot.ts'

/** One element of a scope, understood. */
export interface Pattern {
  /** As it was written, `!` included. */
  readonly source: string
  readonly negative: boolean
  matches(tool: CatalogueTool): boolean
}

/** A scope, understood; `error` says why nothing can be shown. */
export type ParsedScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'none'; readonly error?: string }
  | { readonly kind: 'patterns'; readonly patterns: readonly Pattern[] }

const longestPattern = 200
const mostPatterns = 200
const groups: ReadonlySet<string> = new Set(['internal', 'builtin', 'wrapped', 'mcp'])

/** Understands a scope as it is stored. What cannot be understood is `none`, with the reason. */
export function parseScope(scope: unknown): ParsedScope {
  if (scope === undefined || scope === null || scope === 'all') return { kind: 'all' }
  if (scope === 'none') return { kind: 'none' }
  const list: readonly unknown[] | undefined =
    typeof scope === 'string' ? [scope] : Array.isArray(scope) ? scope : undefined
  if (!list) {
    return nothing(`a scope is "all", "none", a pattern or a list of patterns, not ${kindOf(scope)}`)
  }
  if (list.length > mostPatterns)
    return nothing(`a scope has at most ${mostPatterns} patterns, not ${list.length}`)
  return parseList(list)
}

function parseList(list: readonly unknown[]): ParsedScope {
  const patterns: Pattern[] = []
  for (const [index, element] of list.entries()) {
    const problem = problemWith(element)
    if (problem !== undefined) return nothing(`pattern ${index + 1} of the scope ${problem}`)
    patterns.push(parsePattern((element as string).trim()))
  }
  return patterns.length === 0 ? { kind: 'none' } : { kind: 'patterns', patterns }
}

const nothing = (error: string): ParsedScope => ({ kind: 'none', error: `${error}; no tool is shown` })

function problemWith(element: unknown): string | undefined {
  if (typeof element !== 'string') return `must be text, not ${kindOf(element)}`
  if (element.length > longestPattern) return `is longer than ${longestPattern} characters`
  if (!/^!?[^!]/u.test(element.trim())) return `says nothing: ${JSON.stringify(element)}`
  return undefined
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : `a value of type ${typeof value}`
}

function parsePattern(source: string): Pattern {
  const negative = source.startsWith('!')
  if (!negative) return { source, negative, matches: matcherFor(source) }
  const word = source.slice(1).trim()
  const shows = matcherFor(word)
  const named = compileGlob(word)
  // An alias whose tool is not in this catalogue is still taken away by that tool's id.
  return { source, negative, matches: (tool) => shows(tool) || tool.aliasOf.some(named) }
}

function matcherFor(word: string): (tool: CatalogueTool) => boolean {
  if (word === 'all') return () => true
  if (word === 'none') return () => false
  const named = compileGlob(word)
  const ofServer = serverMatcher(word)
  return (tool) => isGroup(tool, word) || named(tool.id) || named(tool.name) || ofServer(tool)
}

/** A server that is called like a group never gets the group's word. */
function isGroup(tool: CatalogueTool, word: string): boolean {
  return groups.has(word) ? tool.group === word : tool.group === 'mcp' && tool.source === word
}

/** `server:pattern`: the server is compared as it is, so that `holler:*` has nothing of `holler_two`. */
function serverMatcher(word: string): (tool: CatalogueTool) => boolean {
  const colon = word.indexOf(':')
  if (colon < 0) return () => false
  const server = word.slice(0, colon)
  const named = compileGlob(word.slice(colon + 1))
  return (tool) =>
    (groups.has(server) ? tool.group === server : tool.source === server) &&
    (named(tool.id) || named(tool.name) || named(withoutSource(tool)))
}

const withoutSource = (tool: CatalogueTool): string =>
  tool.id.startsWith(`${tool.source}_`) ? tool.id.slice(tool.source.length + 1) : tool.id
