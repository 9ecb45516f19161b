import type { RoomStore } from '../chat/ports.ts'
import type { Person, Role } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { Json } from '../lib/json.ts'
import { effectiveScope, type Bounds, type Resolution } from '../prompt/scope.ts'
import type { Catalogue } from './catalogue.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'

/** Whose tools: a requester's, through a model or (without one) with their own hands. */
export interface Viewer {
  readonly room: Room
  readonly requester: Person
  readonly model?: ModelSettings
  /** For a side turn: what its turn leaves to it. */
  readonly within?: Bounds
}

/** The tools of one moment, narrowed to one viewer; used to show, to send and to enforce. */
export interface View extends Resolution {
  readonly catalogue: Catalogue
  /** The room's scope as it is stored. */
  readonly scope: Json
  readonly role: Role
}

/** What a view is made from. */
export interface ViewParts {
  readonly catalogue: () => Catalogue
  readonly rooms: Pick<RoomStore, 'getValue'>
}

/** The room key-value that holds a room's scope. */
export const SCOPE_KEY = 'tool_scope'

/** The scope of now: asked again before every call, so that what was taken away is gone at once. */
export async function viewTools(parts: ViewParts, { room, requester, model, within }: Viewer): Promise<View> {
  const [stored, role] = await Promise.all([
    parts.rooms.getValue(room.name, SCOPE_KEY),
    room.roleOf(requester),
  ])
  const scope = stored ?? 'all'
  const catalogue = parts.catalogue()
  const narrowed = effectiveScope(catalogue.tools, { room: scope, model: model?.tools, role, within })
  return { ...narrowed, catalogue, scope, role }
}
