import type { NewEntry } from '../entry.ts'
import type { Everywhere } from '../rooms.ts'
import { StorageError } from '../errors.ts'
import { SYSTEM } from '../people/names.ts'
import type { Person } from '../people/person.ts'
import type { Peers } from '../peers.ts'
import type { Clock, Log } from '../ports.ts'
import type { Room } from '../room.ts'
import type { InvitationNotice, InvitationNoticeStore } from './ports.ts'

/** Tells people that they were invited. */
export interface InvitationNotices {
  /** Remembers that `by` is about to invite somebody. Rejects with `StorageError`. */
  prepare(room: Room, person: Person, by: Person): Promise<void>
  /**
   * Tells somebody of the invitations that they were not told of, in all their sessions; where they have none, the next one
   * tells them. Never rejects.
   */
  tell(person: Person): Promise<void>
}

/** What it needs of the rooms. */
export interface InvitationNoticeParts {
  readonly store: InvitationNoticeStore
  readonly rooms: Pick<Everywhere, 'whisper' | 'isPresent' | 'isHere'>
  readonly peers: Pick<Peers, 'broadcast'>
  readonly clock: Clock
  readonly log: Log
}

/** Lines at once: many rooms may have invited somebody who was away for long. */
const MAX_LINES = 5

export function createInvitationNotices({
  store,
  rooms,
  peers,
  clock,
  log,
}: InvitationNoticeParts): InvitationNotices {
  return {
    prepare: (room, person, by) =>
      store.put({ room: room.name, person: person.id, inviter: by.name, at: clock.now() }),
    async tell(person) {
      if (person.guest || !rooms.isPresent(person)) return
      if (!rooms.isHere(person)) return await peers.broadcast('invited', { person: person.id })
      try {
        for (const draft of linesOf(await store.take(person.id))) rooms.whisper(person, draft)
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        log.warn({ error, reason: error.reason, person: person.name }, 'invitations were not told')
      }
    },
  }
}

function linesOf(notices: readonly InvitationNotice[]): readonly NewEntry[] {
  const shown = notices.length > MAX_LINES ? notices.slice(0, MAX_LINES - 1) : notices
  const left = notices.length - shown.length
  const lines = shown.map(({ inviter, room }) =>
    line(inviter, `${inviter} invited you to ${room}; /join ${room}`),
  )
  return left === 0 ? lines : [...lines, line(SYSTEM, `you have ${left} more invitations; /rooms lists them`)]
}

const line = (author: string, text: string): NewEntry => ({ kind: 'notice', level: 'info', author, text })
