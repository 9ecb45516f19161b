/**
 * invitations/ tells people that they were invited to a private room: at once in their sessions, else as they come in next.
 *
 * It must not know who may invite, what an invited person may do, or how somebody is told.
 */
import type { RoomName } from '../entry.ts'
import type { PersonId } from '../people/person.ts'

/** That somebody was invited to a private room. */
export interface InvitationNotice {
  readonly room: RoomName
  readonly person: PersonId
  /** The name of who invited them. */
  readonly inviter: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Invitations that the invited were not told of yet. All methods reject with `StorageError` only. */
export interface InvitationNoticeStore {
  /** Takes the place of another one for this person and room. */
  put(notice: InvitationNotice): Promise<void>
  /** Those of one person who is still invited, oldest first. None of that person's is kept, so each is given once. */
  take(person: PersonId): Promise<readonly InvitationNotice[]>
}
