import type { RoomStore } from '../chat/ports.ts'
import type { Person, Role } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { Json } from '../lib/json.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import { effectiveScope, type Bounds, type Resolution } from '../prompt/scope.ts'
import type { Catalogue } from './catalogue.ts'

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

/** Finds the tools of now. It is asked again before every call, so that a tool that was taken away is gone at once. Rejects with `StorageError`. */
export type FindScopedTools = (query: ScopeQuery) => Promise<ScopedTools>

/** The room key-value that holds a room's scope. */
export const SCOPE_KEY = 'tool_scope'

/** `scopeOf` gives the tools that a model may have now; those of its settings when absent. */
export const createScopedTools =
  (
    catalogueNow: () => Catalogue,
    rooms: Pick<RoomStore, 'getValue'>,
    scopeOf: (model: ModelSettings) => Json = ({ tools }) => tools,
  ): FindScopedTools =>
  async ({ room, requester, model, within }) => {
    const [stored, role] = await Promise.all([rooms.getValue(room.name, SCOPE_KEY), room.roleOf(requester)])
    const scope = stored ?? 'all'
    const catalogue = catalogueNow()
    const narrowed = effectiveScope(catalogue.tools, {
      ...{ room: scope, role, within },
      model: model && scopeOf(model),
    })
    return { ...withoutTools(narrowed, model?.lacks?.tools), catalogue, scope, role }
  }

/** A model that takes no tools is offered none; `reason` says why, and is undefined where it takes them. */
function withoutTools(resolution: Resolution, reason: string | undefined): Resolution {
  if (reason === undefined) return resolution
  const hidden = resolution.visible.map((tool) => ({ tool, reason: `model: ${reason}` }))
  return { ...resolution, visible: [], hidden: [...hidden, ...resolution.hidden] }
}
