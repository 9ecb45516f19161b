import type { Role } from '../../words/person.ts'
import type { Json } from '../../base/json.ts'
import { NO_SERVERS, type ParsedScope, parseScope, type Pattern, warningsOf } from './scope-patterns.ts'
import type { CatalogueTool } from '../snapshot.ts'

/** The room's key for its scope. */
export const SCOPE_KEY = 'tool_scope'

/** The room's key for a model's scope. People and scripts cannot set a key with `@` themselves. */
export const modelScopeKey = (model: string): string => `${SCOPE_KEY}@${model}`

/** `reason` is for people. */
export interface HiddenTool {
  readonly tool: CatalogueTool
  readonly reason: string
}

/** Every tool is in exactly one of the lists, in the catalogue's order. */
export interface Resolution {
  readonly visible: readonly CatalogueTool[]
  readonly hidden: readonly HiddenTool[]
  /** About patterns that match nothing, and invalid scopes. */
  readonly warnings: readonly string[]
}

/** Decides which tools are shown and may run. An invalid scope shows none. */
export function resolveScope(scope: unknown, catalogue: readonly CatalogueTool[]): Resolution {
  const parsed = parseScope(scope)
  return { ...applyRules(catalogue, [scopeRule(parsed, catalogue)]), warnings: warningsOf(parsed, catalogue) }
}

interface TurnScopes {
  readonly room: unknown
  /** The model's `tools` in the config; undefined if no model is concerned. */
  readonly model: unknown
  /** The room's scopes for the model and for the models whose fallback it is. */
  readonly modelHere?: readonly unknown[]
  readonly role: Role
  readonly persona?: readonly string[] | undefined
  readonly routine?: readonly string[] | undefined
  readonly within?: Bounds | undefined
  /** True in a panel, whose tools only read. */
  readonly readsOnly?: true | undefined
}

/** The tools that a turn lets its side turn use. */
export interface Bounds {
  readonly ids: ReadonlySet<string>
  readonly scope: unknown
}

/** Returns the tools that all scopes show. Guests get only tools that read. */
export function effectiveScope(
  catalogue: readonly CatalogueTool[],
  { room, model, modelHere = [], role, persona, routine, within, readsOnly }: TurnScopes,
  servers = NO_SERVERS,
): Resolution {
  const parsedRoom = parseScope(room)
  const parsedModel = parseScope(model)
  const parsedHere = modelHere.map((scope) => parseScope(scope))
  const parsedPersona = persona && parseScope(persona)
  const parsedRoutine = routine && parseScope(routine)
  const parsedWithin = within && parseScope(within.scope)
  const hiddenIn = (of: string, scope: ParsedScope): HidingRule => {
    const rule = scopeRule(scope, catalogue)
    return (tool) => {
      const reason = rule(tool)
      return reason === undefined ? undefined : `${of}: ${reason}`
    }
  }
  const rules = [
    hiddenIn('room', parsedRoom),
    hiddenIn('model', parsedModel),
    ...parsedHere.map((scope) => hiddenIn('model in this room', scope)),
    roleRule(role),
    ...(readsOnly ? [readsOnlyRule] : []),
    ...(parsedPersona ? [hiddenIn('persona', parsedPersona)] : []),
    ...(parsedRoutine ? [hiddenIn('routine', parsedRoutine)] : []),
    ...(within ? [boundsRule(within.ids)] : []),
    ...(parsedWithin ? [hiddenIn('side turn', parsedWithin)] : []),
  ]
  const scopes = [parsedRoom, parsedModel, ...parsedHere, parsedPersona, parsedRoutine, parsedWithin].flatMap(
    (scope) => scope ?? [],
  )
  return {
    ...applyRules(catalogue, rules),
    warnings: scopes.flatMap((scope) => warningsOf(scope, catalogue, servers)),
  }
}

/** Returns the scope for the words of `/tools WORDS…`. */
export function scopeFromWords(words: readonly string[]): 'all' | 'none' | readonly string[] {
  if (words.length === 1) {
    if (words[0] === 'on' || words[0] === 'all') return 'all'
    if (words[0] === 'off' || words[0] === 'none') return 'none'
  }
  return [...words]
}

/** Returns the words that set a scope. */
export const scopeText = (scope: Json): string =>
  Array.isArray(scope) ? scope.join(' ') : typeof scope === 'string' ? scope : JSON.stringify(scope)

/** Returns the reason if the tool is hidden. */
type HidingRule = (tool: CatalogueTool) => string | undefined

function applyRules(
  catalogue: readonly CatalogueTool[],
  rules: readonly HidingRule[],
): Omit<Resolution, 'warnings'> {
  const visible: CatalogueTool[] = []
  const hidden: HiddenTool[] = []
  for (const tool of catalogue) {
    let reason: string | undefined
    for (const rule of rules) if ((reason = rule(tool)) !== undefined) break
    if (reason === undefined) visible.push(tool)
    else hidden.push({ tool, reason })
  }
  return { visible, hidden }
}

const readsOnlyRule: HidingRule = ({ access }) =>
  access === 'read' ? undefined : `panel: its models use only tools that read, this one has ${access} access`

function roleRule(role: Role): HidingRule {
  if (role !== 'guest') return () => undefined
  return ({ access }) =>
    access === 'read' ? undefined : `role: guests may use only tools that read, this one has ${access} access`
}

const boundsRule =
  (ids: ReadonlySet<string>): HidingRule =>
  ({ id }) =>
    ids.has(id) ? undefined : 'side turn: its turn does not have it'

function scopeRule(parsed: ParsedScope, catalogue: readonly CatalogueTool[]): HidingRule {
  if (parsed.kind === 'all') return () => undefined
  if (parsed.kind === 'none')
    return () => (parsed.error === undefined ? 'tools are off' : 'the scope is not valid')
  const taken = hiddenByPattern(parsed.patterns, catalogue)
  const isShown = createIsShown(parsed.patterns, catalogue)
  return (tool) => taken.get(tool.id) ?? (isShown(tool) ? undefined : 'not in the scope')
}

/** A word for a tool and a server means the tool, so that no scope grows when such a server is added. */
function createIsShown(
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

/** Returns reasons by tool id. Hiding a tool hides its aliases, and the other way round. */
function hiddenByPattern(
  patterns: readonly Pattern[],
  catalogue: readonly CatalogueTool[],
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  for (const tool of catalogue) {
    const by = patterns.find((pattern) => pattern.negative && pattern.matches(tool))
    if (by) reasons.set(tool.id, `taken away by ${by.source}`)
  }
  const aliases = catalogue.filter((tool) => tool.aliasOf.length > 0)
  // An alias may have aliases of its own, so the loop runs until nothing changes.
  for (let before = -1; before !== reasons.size;) {
    before = reasons.size
    for (const { id, aliasOf } of aliases) {
      const ids = [id, ...aliasOf]
      const hidden = ids.find((one) => reasons.has(one))
      if (hidden === undefined) continue
      const reason = `another name of ${hidden}, which is ${reasons.get(hidden)}`
      for (const one of ids) if (!reasons.has(one)) reasons.set(one, reason)
    }
  }
  return reasons
}
