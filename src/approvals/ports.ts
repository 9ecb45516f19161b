/**
 * Approvals decide what a tool may change. A standing grant allows it, or people in the room are asked. This
 * folder must not know how tools run, how models are called, how grants are stored, or what a terminal is.
 */
import type { ApprovalEntry, RoomName } from '../chat/entry.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { PermissionRequest } from '../tools/context.ts'

/** A standing permission: one person's, in one room, for one thing. */
export interface Grant {
  /** Counts up in its room; what `perms ROOM revoke N` takes. */
  readonly id: number
  readonly room: RoomName
  /** The person whose calls it serves: the requester, and nobody else. */
  readonly person: PersonId
  /** That person's name. */
  readonly name: string
  /** The tool's id. */
  readonly tool: string
  /** Exactly what may be done: the command, the path. Matched to the last character. */
  readonly target: string
  /** Milliseconds since the epoch; absent where only revoking ends it. */
  readonly until?: number
  /** Name of the person who gave it. */
  readonly by: string
  /** When, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * Standing permissions on disk. An expired grant is never returned. All methods reject with `StorageError`
 * only.
 */
export interface GrantStore {
  /** Replaces an earlier grant for the same person, room, tool and target, and keeps that one's id. */
  put(grant: Omit<Grant, 'id'>): Promise<Grant>
  /** The grant that covers exactly this at time `at`. */
  find(
    what: Pick<Grant, 'room' | 'person' | 'tool' | 'target'> & { readonly at: number },
  ): Promise<Grant | undefined>
  /** The grants of a room that hold at time `at`, in order of id. */
  list(room: RoomName, at: number): Promise<readonly Grant[]>
  /** False where there was none. */
  remove(room: RoomName, id: number): Promise<boolean>
}

/** What a person can decide about a question. */
export type Verdict = Extract<ApprovalEntry['verdict'], 'once' | 'room' | 'always' | 'denied'>

/** What is asked, as whoever may answer needs it. */
export type AskedFor = Omit<PermissionRequest, 'signal'>

/** An answer, and who gave it. */
export interface GivenAnswer {
  readonly person: Pick<Person, 'name'>
  readonly verdict: Verdict
}
