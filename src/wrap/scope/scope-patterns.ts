import { ACCESSES, TOOL_GROUPS } from '../../words/tool-words.ts'
import { compileGlob } from '../../base/glob.ts'
import { closest } from '../../base/suggest.ts'
import type { CatalogueTool } from '../snapshot.ts'

/** `source` is the pattern as written, with its `!`. */
export interface Pattern {
  readonly source: string
  readonly negative: boolean
  matches(tool: CatalogueTool): boolean
}

/** `error` is the reason why no tool can be shown. */
export type ParsedScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'none'; readonly error?: string }
  | { readonly kind: 'patterns'; readonly patterns: readonly Pattern[] }

export const MAX_PATTERNS = 200
export const MAX_PATTERN_CHARACTERS = 200
const GROUPS: ReadonlySet<string> = new Set([...TOOL_GROUPS, ...ACCESSES])

/** True for the word of a group or access, with or without a `!`. */
export const isGroupWord = (word: unknown): boolean =>
  typeof word === 'string' && GROUPS.has(word.replace(/^!/, ''))

/** Parses a scope. An invalid scope is `none`, with the reason. */
export function parseScope(scope: unknown): ParsedScope {
  if (scope === undefined || scope === null || scope === 'all') return { kind: 'all' }
  if (scope === 'none') return { kind: 'none' }
  if (typeof scope === 'string') return parseList([scope])
  if (Array.isArray(scope)) return parseList(scope)
  return invalidScope(`a scope is "all", "none", a pattern or a list of patterns, not ${kindOf(scope)}`)
}

function parseList(list: readonly unknown[]): ParsedScope {
  if (list.length > MAX_PATTERNS)
    return invalidScope(`a scope has at most ${MAX_PATTERNS} patterns, not ${list.length}`)
  const patterns: Pattern[] = []
  for (const [index, element] of list.entries()) {
    const which = `pattern ${index + 1} of the scope`
    if (typeof element !== 'string') return invalidScope(`${which} must be text, not ${kindOf(element)}`)
    const source = element.trim()
    if (element.length > MAX_PATTERN_CHARACTERS)
      return invalidScope(`${which} is longer than ${MAX_PATTERN_CHARACTERS} characters`)
    if (!/^!?[^!]/u.test(source)) return invalidScope(`${which} says nothing: ${JSON.stringify(element)}`)
    patterns.push(parsePattern(source))
  }
  return patterns.length === 0 ? { kind: 'none' } : { kind: 'patterns', patterns }
}

const invalidScope = (error: string): ParsedScope => ({ kind: 'none', error: `${error}; no tool is shown` })

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return value === null ? 'null' : `a value of type ${typeof value}`
}

function parsePattern(source: string): Pattern {
  const negative = source.startsWith('!')
  const word = wordOf({ negative, source })
  const shows = matcherFor(word)
  if (!negative) return { source, negative, matches: shows }
  const named = compileGlob(word)
  // A pattern also hides the aliases of an id that is not in this catalogue.
  return { source, negative, matches: (tool) => shows(tool) || tool.aliasOf.some(named) }
}

const wordOf = ({ negative, source }: Pick<Pattern, 'negative' | 'source'>): string =>
  negative ? source.slice(1).trim() : source

function matcherFor(word: string): (tool: CatalogueTool) => boolean {
  if (word === 'all') return () => true
  if (word === 'none') return () => false
  const named = compileGlob(word)
  const ofServer = serverMatcher(word)
  const inGroup = (tool: CatalogueTool): boolean =>
    GROUPS.has(word) ? isInGroup(tool, word) : tool.group === 'mcp' && tool.source === word
  return (tool) => inGroup(tool) || named(tool.id) || named(tool.name) || ofServer(tool)
}

const isInGroup = ({ group, access }: CatalogueTool, word: string): boolean =>
  group === word || access === word

/** The server's name must be equal: `holler:*` never includes tools of `holler_two`. */
function serverMatcher(word: string): (tool: CatalogueTool) => boolean {
  const colon = word.indexOf(':')
  if (colon < 0) return () => false
  const server = word.slice(0, colon)
  const named = compileGlob(word.slice(colon + 1))
  return (tool) => {
    const { id, name, source } = tool
    if (!(GROUPS.has(server) ? isInGroup(tool, server) : source === server)) return false
    return named(id) || named(name) || (id.startsWith(`${source}_`) && named(id.slice(source.length + 1)))
  }
}

/** An MCP server, even without tools. */
interface KnownServer {
  readonly name: string
  readonly state: 'connecting' | 'up' | 'down'
}

export type KnownServers = () => readonly KnownServer[]

export const NO_SERVERS: KnownServers = () => []

/** `text` is for people. */
interface UnmatchedPattern {
  readonly pattern: Pattern
  /** The server that the pattern names, if that server has no tools now. */
  readonly awaits: KnownServer | undefined
  readonly text: string
}

export function unmatchedPatterns(
  parsed: ParsedScope,
  catalogue: readonly CatalogueTool[],
  servers: KnownServers,
): readonly UnmatchedPattern[] {
  if (parsed.kind !== 'patterns') return []
  return parsed.patterns
    .filter((pattern) => pattern.source !== 'none' && !catalogue.some((tool) => pattern.matches(tool)))
    .map((pattern) => {
      const awaits = awaitedServer(wordOf(pattern), catalogue, servers())
      const text = awaits ? awaitedText(pattern, awaits) : unmatchedText(pattern, catalogue, servers())
      return { pattern, awaits, text }
    })
}

export function warningsOf(
  parsed: ParsedScope,
  catalogue: readonly CatalogueTool[],
  servers = NO_SERVERS,
): readonly string[] {
  if (parsed.kind === 'none') return parsed.error === undefined ? [] : [parsed.error]
  return unmatchedPatterns(parsed, catalogue, servers).map(({ text }) => text)
}

/** `holler`, `holler:…` and `holler_…` name holler, but `holler_two_…` names a server `holler_two`. */
function awaitedServer(
  word: string,
  catalogue: readonly CatalogueTool[],
  servers: readonly KnownServer[],
): KnownServer | undefined {
  const [named] = servers
    .filter(({ name }) => word === name || word.startsWith(`${name}:`) || word.startsWith(`${name}_`))
    .toSorted((a, b) => b.name.length - a.name.length)
  const hasTools = catalogue.some(({ group, source }) => group === 'mcp' && source === named?.name)
  return hasTools ? undefined : named
}

function awaitedText({ negative }: Pattern, { name, state }: KnownServer): string {
  const tools = `its tools ${negative ? 'stay hidden' : 'come'}`
  if (state === 'up') return `the MCP server ${name} has no tools now; ${tools} when it has some`
  if (state === 'connecting') return `the MCP server ${name} is not connected yet; ${tools} when it is`
  return `the MCP server ${name} is down; ${tools} when it is back`
}

function unmatchedText(
  pattern: Pattern,
  catalogue: readonly CatalogueTool[],
  servers: readonly KnownServer[],
): string {
  const vocabulary = new Set([
    ...catalogue.flatMap((tool) => [tool.name, tool.id, tool.group, tool.source, tool.access]),
    ...servers.map(({ name }) => name),
  ])
  const near = closest(wordOf(pattern), vocabulary)
  const hint = near === undefined ? '' : `; did you mean ${pattern.negative ? '!' : ''}${near}?`
  return `${pattern.source} matches no tool${hint}`
}
