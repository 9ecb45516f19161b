import { NAV_KEY } from '../words/room-keys.ts'
import type { RoomStore, Room } from '../chat/index.ts'
import type { Person, Role } from '../words/person.ts'
import { type Json, isJsonObject, type JsonSchema } from '../base/json.ts'
import { schemasIn } from '../base/json-schema.ts'
import { memoizePer } from '../base/basics.ts'
import { headOf } from '../base/text/characters.ts'
import { cleanLine } from '../base/text/clean-text.ts'
import type { Framing, ModelSettings, CatalogueTool } from '../wrap/index.ts'
import {
  NO_SERVERS,
  effectiveScope,
  modelScopeKey,
  SCOPE_KEY,
  type Bounds,
  type Resolution,
} from '../wrap/scope/index.ts'
import type { Catalogue } from '../wrap/toolbox/index.ts'
import type { Persona } from './personas.ts'
import type { RoutineRun } from './routines/index.ts'

/** A requester who calls tools, through a model or by hand. */
export interface ScopeQuery {
  readonly room: Room
  readonly requester: Person
  readonly model?: ModelSettings
  /** Names of the failed models whose fallback this one is. */
  readonly insteadOf?: readonly string[]
  readonly persona?: Persona
  /** The routine run that the turn belongs to. */
  readonly routine?: RoutineRun
  /** For a side turn: the bounds of its parent turn. */
  readonly within?: Bounds
  /** Hides tools that do more than read. */
  readonly readsOnly?: true
}

export interface ScopedTools extends Resolution {
  readonly catalogue: Catalogue
  /** The scope as the room stores it. */
  readonly scope: Json
  /** The model's scope in this room, if it has one. */
  readonly modelScope?: Json
  readonly role: Role
  /** True if `look_at` is in scope, also for a model that takes no tools. */
  readonly mayLookAt: boolean
}

/** Finds the tools in scope. Called again before every call. Rejects with `StorageError`. */
export type FindScopedTools = (query: ScopeQuery) => Promise<ScopedTools>

/** The id of the built-in tool, which no other tool can take. */
const LOOK_AT = 'look_at'

const NO_NAV = 'models may not walk from this room (/nav on)'

/** `scopeOf` returns the current scope of a model. */
export function createScopedTools(
  catalogueNow: () => Catalogue,
  rooms: Pick<RoomStore, 'getValue'>,
  scopeOf: (model: ModelSettings) => Json = ({ tools }) => tools,
  servers = NO_SERVERS,
): FindScopedTools {
  const withoutNav = memoizePer<Catalogue, readonly CatalogueTool[]>()
  const toolsOf = (catalogue: Catalogue, nav: boolean): readonly CatalogueTool[] =>
    nav
      ? catalogue.tools
      : withoutNav(catalogue, '', () =>
          catalogue.tools.map((tool) =>
            catalogue.handler(tool.id)?.walks ? { ...tool, unavailable: NO_NAV } : tool,
          ),
        )

  return async ({ room, requester, model, insteadOf = [], persona, routine, within, readsOnly }) => {
    const models = model ? [model.name, ...insteadOf] : []
    const [stored, nav, role, modelHere] = await Promise.all([
      rooms.getValue(room.name, SCOPE_KEY),
      rooms.getValue(room.name, NAV_KEY),
      room.roleOf(requester),
      Promise.all(models.map((name) => rooms.getValue(room.name, modelScopeKey(name)))),
    ])
    const scope = stored ?? 'all'
    const catalogue = catalogueNow()
    const scopes = {
      room: scope,
      role,
      within,
      model: model && scopeOf(model),
      modelHere,
      persona: persona?.tools ?? undefined,
      routine: routine?.scope ?? undefined,
      readsOnly,
    }
    const [modelScope] = modelHere
    const narrowed = effectiveScope(toolsOf(catalogue, nav === true), scopes, servers)
    const { visible, hidden, warnings } = model ? withoutRefused(model, narrowed) : narrowed
    return {
      visible,
      hidden,
      warnings,
      catalogue,
      scope,
      role,
      mayLookAt: narrowed.visible.some(({ id }) => id === LOOK_AT),
      ...(modelScope === undefined ? {} : { modelScope }),
    }
  }
}

function withoutRefused({ lacks, framing }: ModelSettings, resolution: Resolution): Resolution {
  const refused = resolution.visible.flatMap((tool) => {
    const reason = lacks?.tools ?? lacks?.toolIds?.[tool.id] ?? refusedParameter(framing, tool)
    return reason === undefined ? [] : { tool, reason: `model: ${reason}` }
  })
  if (refused.length === 0) return resolution
  const tools = new Set(refused.map(({ tool }) => tool))
  return {
    ...resolution,
    visible: resolution.visible.filter((tool) => !tools.has(tool)),
    hidden: [...refused, ...resolution.hidden],
  }
}

/** Returns the reason if a provider refuses all requests with the tool for a parameter's name. */
export function refusedParameter(
  { parameterNames }: Pick<Framing, 'parameterNames'>,
  { schema }: { readonly schema: JsonSchema },
): string | undefined {
  if (parameterNames === undefined) return undefined
  const allowed = new RegExp(parameterNames)
  const refused = namesOf(schema, '', () => parameterNamesIn(schema)).find((name) => !allowed.test(name))
  return refused === undefined ? undefined : `its provider takes no parameter called ${quoted(refused)}`
}

const namesOf = memoizePer<JsonSchema, readonly string[]>()

const parameterNamesIn = (whole: JsonSchema): readonly string[] =>
  [...schemasIn(whole)].flatMap(({ schema: { properties } }) =>
    isJsonObject(properties) ? Object.keys(properties) : [],
  )

const MAX_NAME_CHARS = 80

const quoted = (name: string): string =>
  JSON.stringify(name.length > MAX_NAME_CHARS ? `${headOf(name, MAX_NAME_CHARS)}…` : cleanLine(name))
