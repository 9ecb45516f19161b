import { closest } from '../lib/suggest.ts'
import { type ParsedScope, type Pattern, parseScope } from './patterns.ts'
import type { Role } from '../chat/person.ts'
import type { CatalogueTool } from './snapshot.ts'

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
  const judge = judgeFor(parsed, catalogue)
  return { ...sortOut(catalogue, judge), warnings: warningsOf(parsed, catalogue) }
}

/** Whose scopes decide in a turn; the effective set is what all three show. */
export interface ScopeLayers {
  /** The room's `tool_scope`. */
  readonly room: unknown
  /** The model's `tools` in the config; undefined where no model is concerned. */
  readonly model: unknown
  /** The role of the one who asks. */
  readonly role: Role
  /** For a side turn. */
  readonly within?: Bounds | undefined
}

/** What a turn leaves to a side turn: of its own tools those that a scope shows. */
export interface Bounds {
  /** Ids of the tools that the turn itself has. */
  readonly ids: ReadonlySet<string>
  readonly scope: unknown
}

/** The tools that the room and the model and the requester's role all show, and the turn that a side turn belongs to. */
export function effectiveScope(catalogue: readonly CatalogueTool[], layers: ScopeLayers): Resolution {
  const room = parseScope(layers.room)
  const model = parseScope(layers.model)
  const within = layers.within && parseScope(layers.within.scope)
  const judges = [
    prefixed('room', judgeFor(room, catalogue)),
    prefixed('model', judgeFor(model, catalogue)),
    roleJudge(layers.role),
    ...(layers.within ? [parentJudge(layers.within.ids)] : []),
    ...(within ? [prefixed('side turn', judgeFor(within, catalogue))] : []),
  ]
  return {
    ...sortOut(catalogue, (tool) => firstReason(judges, tool)),
    warnings: [room, model, ...(within ? [within] : [])].flatMap((scope) => warningsOf(scope, catalogue)),
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

/** Why a tool is hidden; undefined when it is not. */
type Judge = (tool: CatalogueTool) => string | undefined

function sortOut(catalogue: readonly CatalogueTool[], judge: Judge): Omit<Resolution, 'warnings'> {
  const visible: CatalogueTool[] = []
  const hidden: HiddenTool[] = []
  for (const tool of catalogue) {
    const reason = judge(tool)
    if (reason === undefined) visible.push(tool)
    else hidden.push({ tool, reason })
  }
  return { visible, hidden }
}

function firstReason(judges: readonly Judge[], tool: CatalogueTool): string | undefined {
  for (const judge of judges) {
    const reason = judge(tool)
    if (reason !== undefined) return reason
  }
  return undefined
}

const prefixed =
  (who: string, judge: Judge): Judge =>
  (tool) => {
    const reason = judge(tool)
    return reason === undefined ? undefined : `${who}: ${reason}`
  }

/** Guests read; everybody whom the server knows may use what the room shows. */
function roleJudge(role: Role): Judge {
  if (role !== 'guest') return () => undefined
  return (tool) =>
    tool.access === 'read'
      ? undefined
      : `role: guests may use only tools that read, this one has ${tool.access} access`
}

const parentJudge =
  (ids: ReadonlySet<string>): Judge =>
  (tool) =>
    ids.has(tool.id) ? undefined : 'side turn: its turn does not have it'

function judgeFor(parsed: ParsedScope, catalogue: readonly CatalogueTool[]): Judge {
  if (parsed.kind === 'all') return () => undefined
  if (parsed.kind === 'none')
    return () => (parsed.error === undefined ? 'tools are off' : 'the scope is not valid')
  const taken = takenAway(parsed.patterns, catalogue)
  const shown = shownBy(parsed.patterns)
  return (tool) => taken.get(tool.id) ?? (shown(tool) ? undefined : 'not in the scope')
}

function shownBy(patterns: readonly Pattern[]): (tool: CatalogueTool) => boolean {
  const positive = patterns.filter((pattern) => !pattern.negative)
  return positive.length === 0 ? () => true : (tool) => positive.some((pattern) => pattern.matches(tool))
}

/** Reasons by tool id. A tool and its aliases are one tool: taking away any takes all, so go on until nothing changes. */
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

function spread(
  reasons: Map<string, string>,
  catalogue: readonly CatalogueTool[],
): ReadonlyMap<string, string> {
  const aliases = catalogue.filter((tool) => tool.aliasOf.length > 0)
  for (let before = -1; before !== reasons.size;) {
    before = reasons.size
    for (const tool of aliases) {
      const family = [tool.id, ...tool.aliasOf]
      const taken = family.find((id) => reasons.has(id))
      if (taken === undefined) continue
      for (const id of family) {
        if (!reasons.has(id)) reasons.set(id, `another name of ${taken}, which is ${reasons.get(taken)!}`)
      }
    }
  }
  return reasons
}

function warningsOf(parsed: ParsedScope, catalogue: readonly CatalogueTool[]): readonly string[] {
  if (parsed.kind === 'none') return parsed.error === undefined ? [] : [parsed.error]
  if (parsed.kind === 'all') return []
  return parsed.patterns
    .filter((pattern) => pattern.source !== 'none' && !catalogue.some((tool) => pattern.matches(tool)))
    .map((pattern) => unmatched(pattern, catalogue))
}

function unmatched(pattern: Pattern, catalogue: readonly CatalogueTool[]): string {
  const word = pattern.negative ? pattern.source.slice(1) : pattern.source
  const near = closest(word, vocabulary(catalogue))
  const hint = near === undefined ? '' : `; did you mean ${pattern.negative ? '!' : ''}${near}?`
  return `${pattern.source} matches no tool${hint}`
}

function vocabulary(catalogue: readonly CatalogueTool[]): ReadonlySet<string> {
  return new Set(catalogue.flatMap((tool) => [tool.name, tool.id, tool.group, tool.source]))
}
