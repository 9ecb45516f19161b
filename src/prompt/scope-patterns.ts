import { ACCESSES, TOOL_GROUPS } from '../chat/tool-words.ts'
import { compileGlob } from '../lib/glob.ts'
import { closest } from '../lib/suggest.ts'
import type { CatalogueTool } from './snapshot.ts'

/** One element of a scope. */
export interface Pattern {
  /** As it was written, `!` included. */
  readonly source: string
  readonly negative: boolean
  matches(tool: CatalogueTool): boolean
}

/** A scope as it was read; `error` says why nothing can be shown. */
export type ParsedScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'none'; readonly error?: string }
  | { readonly kind: 'patterns'; readonly patterns: readonly Pattern[] }

/** The most that a scope holds, wherever it comes from: a longer one shows nothing. */
export const MAX_PATTERNS = 200
export const MAX_PATTERN_CHARACTERS = 200
const GROUPS: ReadonlySet<string> = new Set([...TOOL_GROUPS, ...ACCESSES])

/** Whether a pattern is the name of a group, with or without the `!` that takes it away. */
export const isGroupWord = (word: unknown): boolean =>
  typeof word === 'string' && GROUPS.has(word.replace(/^!/, ''))

/** Reads a scope as it is stored. What cannot be understood is `none`, with the reason. */
export function parseScope(scope: unknown): ParsedScope {
  if (scope === undefined || scope === null || scope === 'all') return { kind: 'all' }
  if (scope === 'none') return { kind: 'none' }
  if (typeof scope === 'string') return parseList([scope])
  if (Array.isArray(scope)) return parseList(scope)
  return nothing(`a scope is "all", "none", a pattern or a list of patterns, not ${kindOf(scope)}`)
}

function parseList(list: readonly unknown[]): ParsedScope {
  if (list.length > MAX_PATTERNS)
    return nothing(`a scope has at most ${MAX_PATTERNS} patterns, not ${list.length}`)
  const patterns: Pattern[] = []
  for (const [index, element] of list.entries()) {
    const which = `pattern ${index + 1} of the scope`
    if (typeof element !== 'string') return nothing(`${which} must be text, not ${kindOf(element)}`)
    const problem = problemWith(element)
    if (problem !== undefined) return nothing(`${which} ${problem}`)
    patterns.push(parsePattern(element.trim()))
  }
  return patterns.length === 0 ? { kind: 'none' } : { kind: 'patterns', patterns }
}

const nothing = (error: string): ParsedScope => ({ kind: 'none', error: `${error}; no tool is shown` })

function problemWith(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return `is longer than ${MAX_PATTERN_CHARACTERS} characters`
  return /^!?[^!]/u.test(pattern.trim()) ? undefined : `says nothing: ${JSON.stringify(pattern)}`
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
  // An id also hides every alias of that tool, even if the tool itself is not in this catalogue.
  return { source, negative, matches: (tool) => shows(tool) || tool.aliasOf.some(named) }
}

function matcherFor(word: string): (tool: CatalogueTool) => boolean {
  if (word === 'all') return () => true
  if (word === 'none') return () => false
  const named = compileGlob(word)
  const ofServer = serverMatcher(word)
  return (tool) => isGroup(tool, word) || named(tool.id) || named(tool.name) || ofServer(tool)
}

/** Where a server has the name of a group, the word means the group. */
function isGroup(tool: CatalogueTool, word: string): boolean {
  return GROUPS.has(word) ? isIn(tool, word) : tool.group === 'mcp' && tool.source === word
}

/** A group is where tools come from, or what they may do. */
const isIn = ({ group, access }: CatalogueTool, word: string): boolean => group === word || access === word

/** `server:pattern`: the server's name must be equal, so that `holler:*` never takes in tools of `holler_two`. */
function serverMatcher(word: string): (tool: CatalogueTool) => boolean {
  const colon = word.indexOf(':')
  if (colon < 0) return () => false
  const server = word.slice(0, colon)
  const named = compileGlob(word.slice(colon + 1))
  return (tool) =>
    (GROUPS.has(server) ? isIn(tool, server) : tool.source === server) &&
    (named(tool.id) || named(tool.name) || named(withoutSource(tool)))
}

const withoutSource = (tool: CatalogueTool): string =>
  tool.id.startsWith(`${tool.source}_`) ? tool.id.slice(tool.source.length + 1) : tool.id

/** An MCP server that the config or an admin names, also while it has no tools. */
export interface KnownServer {
  readonly name: string
  readonly state: 'connecting' | 'up' | 'down'
}

/** Asked only if a pattern matches no tool. */
export type KnownServers = () => readonly KnownServer[]

export const NO_SERVERS: KnownServers = () => []

/** A pattern that matches no tool now. */
export interface UnmatchedPattern {
  readonly pattern: Pattern
  /** The server that it names, if none of that server's tools are there: it will match once they are. */
  readonly awaits: KnownServer | undefined
  /** For people. */
  readonly text: string
}

/** The patterns that match no tool. */
export function unmatchedIn(
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

/** What people are told of a scope: why it could not be read, and which of its patterns match no tool. */
export function warningsOf(
  parsed: ParsedScope,
  catalogue: readonly CatalogueTool[],
  servers = NO_SERVERS,
): readonly string[] {
  if (parsed.kind === 'none') return parsed.error === undefined ? [] : [parsed.error]
  return unmatchedIn(parsed, catalogue, servers).map(({ text }) => text)
}

const wordOf = ({ negative, source }: Pattern): string => (negative ? source.slice(1).trim() : source)

/** `holler`, `holler:…` and `holler_…` name holler; with a server `holler_two`, `holler_two_…` names that. */
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
  const near = closest(wordOf(pattern), vocabulary(catalogue, servers))
  const hint = near === undefined ? '' : `; did you mean ${pattern.negative ? '!' : ''}${near}?`
  return `${pattern.source} matches no tool${hint}`
}

const vocabulary = (
  catalogue: readonly CatalogueTool[],
  servers: readonly KnownServer[],
): ReadonlySet<string> =>
  new Set([
    ...catalogue.flatMap((tool) => [tool.name, tool.id, tool.group, tool.source, tool.access]),
    ...servers.map(({ name }) => name),
  ])
