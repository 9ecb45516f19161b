import type { RoomName, TurnId } from '../../chat/entry.ts'
import type { Person } from '../../chat/person.ts'
import type { Access } from '../../chat/tool-words.ts'

/** A question to the people in the room, or to a policy. */
export interface PermissionRequest {
  readonly requester: Person
  readonly room: RoomName
  /** The model that wants it; absent when a person runs the tool. */
  readonly model?: string
  readonly tool: string
  readonly access: Access
  /** What a grant would be for: the command, the path, the address. */
  readonly target: string
  /** Everything that a person must see to decide, in full; may have many lines. */
  readonly detail: string
  /** True for what must be asked each time: a grant for the room or for good would be too much. */
  readonly onceOnly?: boolean
  readonly turn?: TurnId
  readonly signal: AbortSignal
}

/** A no, and why, in words that end a sentence: `denied by alice`. */
export interface Denial {
  readonly why: string
}

/** Decides about permissions. Never throws: where nobody can be asked, it denies. */
export interface PermissionProvider {
  request(request: PermissionRequest): Promise<'allow' | 'deny' | Denial>
}
