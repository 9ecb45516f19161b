import { NAV_KEY } from '../chat/room-values.ts'
import type { RoomStore } from '../chat/ports.ts'
import type { Person, Role } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import { type Json, isJsonObject, type JsonSchema } from '../lib/json.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import { NO_SERVERS } from '../prompt/scope-patterns.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { effectiveScope, SCOPE_KEY, type Bounds, type Resolution } from '../prompt/scope.ts'
import type { Catalogue } from './catalogue.ts'
import { schemasIn } from '../lib/json-schema.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import { headOf } from '../lib/text/characters.ts'
import type { Framing } from '../prompt/model-settings.ts'

/** Whose tools are asked for: those of a requester, through a model or (without one) by their own hand. */
export interface ScopeQuery {
  readonly room: Room
  readonly requester: Person
  readonly model?: ModelSettings
  /** For a sub-turn: what its turn lets it use. */
  readonly within?: Bounds
}

/** The tools that a caller may call at one moment, and what runs them. */
export type ToolsInReach = Pick<Resolution, 'visible'> & { readonly catalogue: Catalogue }

/** The tools of one moment, narrowed to one query; used to show, to send and to enforce. */
export interface ScopedTools extends Resolution {
  readonly catalogue: Catalogue
  /** The room's scope as it is stored. */
  readonly scope: Json
  /** The requester's role in the room. */
  readonly role: Role
}

/**
 * Finds the tools of now. It is asked again before every call, so that a tool that was taken away is gone at
 * once. Rejects with `StorageError`.
 */
export type FindScopedTools = (query: ScopeQuery) => Promise<ScopedTools>

const NO_NAV = 'models may not walk from this room (/nav on)'

/**
 * Gives the tools of a room from which models may not walk: the same objects while the catalogue is the same.
 */
function createWithoutNav(): (catalogue: Catalogue) => readonly CatalogueTool[] {
  const known = new WeakMap<Catalogue, readonly CatalogueTool[]>()
  return (catalogue) => {
    const tools =
      known.get(catalogue) ??
      catalogue.tools.map((tool) =>
        catalogue.handler(tool.id)?.walks ? { ...tool, unavailable: NO_NAV } : tool,
      )
    known.set(catalogue, tools)
    return tools
  }
}

/** `scopeOf` gives the tools that a model may have now; those of its settings when absent. */
export function createScopedTools(
  catalogueNow: () => Catalogue,
  rooms: Pick<RoomStore, 'getValue'>,
  scopeOf: (model: ModelSettings) => Json = ({ tools }) => tools,
  servers = NO_SERVERS,
): FindScopedTools {
  const withoutNav = createWithoutNav()
  return async ({ room, requester, model, within }) => {
    const [stored, nav, role] = await Promise.all([
      rooms.getValue(room.name, SCOPE_KEY),
      rooms.getValue(room.name, NAV_KEY),
      room.roleOf(requester),
    ])
    const scope = stored ?? 'all'
    const catalogue = catalogueNow()
    const scopes = { room: scope, role, within, model: model && scopeOf(model) }
    const narrowed = effectiveScope(nav === true ? catalogue.tools : withoutNav(catalogue), scopes, servers)
    const { visible, hidden, warnings } = model ? takenBy(model, narrowed) : narrowed
    return { visible, hidden, warnings, catalogue, scope, role }
  }
}

/** Without the tools that a model or its provider does not take, each with the reason. */
function takenBy({ lacks, framing }: ModelSettings, resolution: Resolution): Resolution {
  const refusals = new Map(
    resolution.visible.flatMap((tool) => {
      const reason = lacks?.tools ?? refusedParameter(framing, tool)
      return reason === undefined ? [] : [[tool, { tool, reason: `model: ${reason}` }] as const]
    }),
  )
  if (refusals.size === 0) return resolution
  return {
    ...resolution,
    visible: resolution.visible.filter((tool) => !refusals.has(tool)),
    hidden: [...refusals.values(), ...resolution.hidden],
  }
}

/**
 * Why a provider would refuse every request with a tool: the name of one of its parameters. Undefined if it
 * takes the tool.
 */
export function refusedParameter(
  { parameterNames }: Pick<Framing, 'parameterNames'>,
  { schema }: { readonly schema: JsonSchema },
): string | undefined {
  if (parameterNames === undefined) return undefined
  const allowed = new RegExp(parameterNames)
  const refused = namesIn(schema).find((name) => !allowed.test(name))
  return refused === undefined ? undefined : `its provider takes no parameter called ${quoted(refused)}`
}

const namesBySchema = new WeakMap<JsonSchema, readonly string[]>()

/** The names of all parameters, at any depth. Every step asks for those of all tools. */
function namesIn(schema: JsonSchema): readonly string[] {
  const names =
    namesBySchema.get(schema) ??
    [...schemasIn(schema)].flatMap(({ schema: { properties } }) =>
      isJsonObject(properties) ? Object.keys(properties) : [],
    )
  namesBySchema.set(schema, names)
  return names
}

/** Characters of a name that are told. */
const MAX_NAME_CHARS = 80

const quoted = (name: string): string =>
  JSON.stringify(name.length > MAX_NAME_CHARS ? `${headOf(name, MAX_NAME_CHARS)}…` : cleanLine(name))
