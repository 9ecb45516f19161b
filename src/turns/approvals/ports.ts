// Approvals decide what a tool may change: a grant allows it, or people in the room are asked. This folder
// must not know how tools run, models are called or grants are stored.
import type { ApprovalEntry, RoomName } from '../../words/entry.ts'
import type { Person, PersonId } from '../../words/person.ts'
import type { PermissionRequest } from '../../tools/index.ts'

export interface Grant {
  /** Counts up in its room; the N of `perms ROOM revoke N`. */
  readonly id: number
  readonly room: RoomName
  /** The requester whose calls the grant allows. */
  readonly person: PersonId
  readonly name: string
  /** The tool's id. */
  readonly tool: string
  /** The command or the path, matched to the last character. */
  readonly target: string
  /** Milliseconds since the epoch; absent if only revoking ends it. */
  readonly until?: number
  /** Name of the person who gave the grant. */
  readonly by: string
  readonly at: number
  /** The id of the routine whose runs alone may use it. */
  readonly routine?: string
}

/** An expired grant is never returned. All methods reject with `StorageError` only. */
export interface GrantStore {
  /** Replaces a grant for the same person, room, tool, target and routine, and keeps its id. */
  put(grant: Omit<Grant, 'id'>): Promise<Grant>
  find(
    what: Pick<Grant, 'room' | 'person' | 'tool' | 'target' | 'routine'> & { readonly at: number },
  ): Promise<Grant | undefined>
  /** The grants of a room that are valid at time `at`, in order of id. */
  list(room: RoomName, at: number): Promise<readonly Grant[]>
  /** Resolves to false if there was no such grant. */
  remove(room: RoomName, id: number): Promise<boolean>
  removeOf(routine: string): Promise<void>
}

export type Verdict = Extract<ApprovalEntry['verdict'], 'once' | 'room' | 'always' | 'denied'>

/** `needsOp` is set if the config does not let the requester allow the call. */
export type ApprovalRequest = PermissionRequest & { readonly needsOp?: true }

export type ApprovalSubject = Omit<ApprovalRequest, 'signal'>

export interface GivenAnswer {
  readonly person: Pick<Person, 'name'>
  readonly verdict: Verdict
}
