import type { Json } from '../lib/json.ts'
import type { Role } from '../chat/people/person.ts'
import { NO_SERVERS, type ParsedScope, parseScope, type Pattern, warningsOf } from './scope-patterns.ts'
import type { CatalogueTool } from './snapshot.ts'

/** The room key-value that holds a room's scope. */
export const SCOPE_KEY = 'tool_scope'

/** A tool that a scope leaves out, and the one reason for it, in words for people. */
export interface HiddenTool {
  readonly tool: CatalogueTool
  readonly reason: string
}

/** What a scope makes of a catalogue: every tool is in exactly one of the lists, in the catalogue's order. */
export interface Resolution {
  readonly visible: readonly CatalogueTool[]
  readonly hidden: readonly HiddenTool[]
  /** Patterns that match nothing, scopes that could not be understood. */
  readonly warnings: readonly string[]
}

/**
 * Which tools of the catalogue a scope shows: the one decision for showing and for running.
 * `scope` may be anything: what cannot be understood shows nothing, with a warning that says why.
 */
export function resolveScope(scope: unknown, catalogue: readonly CatalogueTool[]): Resolution {
  const parsed = parseScope(scope)
  return { ...split(catalogue, hiddenBy(parsed, catalogue)), warnings: warningsOf(parsed, catalogue) }
}

/** Whose scopes decide in a turn: a tool is visible where all of them show it. */
export interface TurnScopes {
  /** The room's `tool_scope`. */
  readonly room: unknown
  /** The model's `tools` in the config; undefined where no model is concerned. */
  readonly model: unknown
  /** The role of the one who asks. */
  readonly role: Role
  /** For a sub-turn. */
  readonly within?: Bounds | undefined
}

/** What a turn leaves to a sub-turn: those of its own tools that a scope shows. */
export interface Bounds {
  /** Ids of the tools that the turn itself has. */
  readonly ids: ReadonlySet<string>
  readonly scope: unknown
}

/** The tools that the room, the model and the requester's role all show; for a sub-turn, its turn must have them too. */
export function effectiveScope(
  catalogue: readonly CatalogueTool[],
  scopes: TurnScopes,
  servers = NO_SERVERS,
): Resolution {
  const room = parseScope(scopes.room)
  const model = parseScope(scopes.model)
  const within = scopes.within && parseScope(scopes.within.scope)
  const rules = [
    named('room', hiddenBy(room, catalogue)),
    named('model', hiddenBy(model, catalogue)),
    hiddenFrom(scopes.role),
    ...(scopes.within ? [hiddenOutside(scopes.within.ids)] : []),
    ...(within ? [named('side turn', hiddenBy(within, catalogue))] : []),
  ]
  return {
    ...split(catalogue, (tool) => firstReason(rules, tool)),
    warnings: [room, model, ...(within ? [within] : [])].flatMap((scope) =>
      warningsOf(scope, catalogue, servers),
    ),
  }
}

/** The scope that `/tools WORDS…` asks for: `on` is everything, `off` nothing, else the words are patterns. */
export function scopeFromWords(words: readonly string[]): string | readonly string[] {
  if (words.length === 1) {
    if (words[0] === 'on' || words[0] === 'all') return 'all'
    if (words[0] === 'off' || words[0] === 'none') return 'none'
  }
  return [...words]
}

/** A scope in the words that set it. */
export const scopeText = (scope: Json): string =>
  Array.isArray(scope) ? scope.join(' ') : typeof scope === 'string' ? scope : JSON.stringify(scope)

/** Says why a tool is hidden; undefined when it is not. */
type HidingRule = (tool: CatalogueTool) => string | undefined

function split(catalogue: readonly CatalogueTool[], rule: HidingRule): Omit<Resolution, 'warnings'> {
  const visible: CatalogueTool[] = []
  const hidden: HiddenTool[] = []
  for (const tool of catalogue) {
    const reason = rule(tool)
    if (reason === undefined) visible.push(tool)
    else hidden.push({ tool, reason })
  }
  return { visible, hidden }
}

function firstReason(rules: readonly HidingRule[], tool: CatalogueTool): string | undefined {
  for (const rule of rules) {
    const reason = rule(tool)
    if (reason !== undefined) return reason
  }
  return undefined
}

const named =
  (who: string, rule: HidingRule): HidingRule =>
  (tool) => {
    const reason = rule(tool)
    return reason === undefined ? undefined : `${who}: ${reason}`
  }

/** Guests may only read; everybody whom the server knows may use what the room shows. */
function hiddenFrom(role: Role): HidingRule {
  if (role !== 'guest') return () => undefined
  return (tool) =>
    tool.access === 'read'
      ? undefined
      : `role: guests may use only tools that read, this one has ${tool.access} access`
}

const hiddenOutside =
  (ids: ReadonlySet<string>): HidingRule =>
  (tool) =>
    ids.has(tool.id) ? undefined : 'side turn: its turn does not have it'

function hiddenBy(parsed: ParsedScope, catalogue: readonly CatalogueTool[]): HidingRule {
  if (parsed.kind === 'all') return () => undefined
  if (parsed.kind === 'none')
    return () => (parsed.error === undefined ? 'tools are off' : 'the scope is not valid')
  const taken = takenAway(parsed.patterns, catalogue)
  const shown = shownBy(parsed.patterns, catalogue)
  return (tool) => taken.get(tool.id) ?? (shown(tool) ? undefined : 'not in the scope')
}

/**
 * Where a server is called as a tool, the word means that tool: a scope of one tool must not grow when such a server comes.
 * `word:*` is the server.
 */
function shownBy(
  patterns: readonly Pattern[],
  catalogue: readonly CatalogueTool[],
): (tool: CatalogueTool) => boolean {
  const positive = patterns.filter((pattern) => !pattern.negative)
  if (positive.length === 0) return () => true
  const isTool = (word: string): boolean => catalogue.some(({ id, name }) => id === word || name === word)
  const tools = new Set(positive.map(({ source }) => source).filter(isTool))
  const isByServer = ({ source }: Pattern, tool: CatalogueTool): boolean =>
    tools.has(source) && tool.group === 'mcp' && tool.source === source
  return (tool) => positive.some((pattern) => pattern.matches(tool) && !isByServer(pattern, tool))
}

/** Reasons by tool id. A tool and its aliases are one tool: taking away one of them takes away all. */
function takenAway(
  patterns: readonly Pattern[],
  catalogue: readonly CatalogueTool[],
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  for (const tool of catalogue) {
    const by = patterns.find((pattern) => pattern.negative && pattern.matches(tool))
    if (by) reasons.set(tool.id, `taken away by ${by.source}`)
  }
  return reasons.size === 0 ? reasons : spread(reasons, catalogue)
}

/** Goes on until nothing changes: an alias may have aliases of its own. */
function spread(
  reasons: Map<string, string>,
  catalogue: readonly CatalogueTool[],
): ReadonlyMap<string, string> {
  const aliases = catalogue.filter((tool) => tool.aliasOf.length > 0)
  for (let before = -1; before !== reasons.size;) {
    before = reasons.size
    for (const tool of aliases) {
      const ids = [tool.id, ...tool.aliasOf]
      const [because] = ids.flatMap((id) => reasonFor(id, reasons))
      if (because === undefined) continue
      for (const id of ids) if (!reasons.has(id)) reasons.set(id, because)
    }
  }
  return reasons
}

/** A reason for the other names of a tool that is hidden; none where it is not. */
function reasonFor(id: string, reasons: ReadonlyMap<string, string>): readonly string[] {
  const reason = reasons.get(id)
  return reason === undefined ? [] : [`another name of ${id}, which is ${reason}`]
}
