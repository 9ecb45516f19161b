import type { Clock, Log } from '../../base/environment.ts'
import type { NewEntry } from '../../words/entry.ts'
import type { Rooms } from '../rooms.ts'
import { warnOfStorage } from '../../words/errors.ts'
import { SYSTEM } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import type { Peers } from '../peers.ts'
import type { Room } from '../room.ts'
import type { InvitationNotice, InvitationNoticeStore } from './ports.ts'

const MAX_LINES = 5

/** Notifies people of invitations: at once in open sessions, else in the next one. */
export type InvitationNotices = ReturnType<typeof createInvitationNotices>

export function createInvitationNotices(parts: {
  readonly store: InvitationNoticeStore
  readonly rooms: Pick<Rooms, 'whisper' | 'isPresent' | 'isHere'>
  readonly peers: Pick<Peers, 'broadcast'>
  readonly clock: Clock
  readonly log: Log
}) {
  const { store, rooms, peers, clock, log } = parts
  return {
    /** Remembers that `by` is about to invite somebody. Rejects with `StorageError`. */
    prepare: (room: Room, person: Person, by: Person): Promise<void> =>
      store.put({ room: room.name, person: person.id, inviter: by.name, at: clock.now() }),
    async tell(person: Person): Promise<void> {
      if (person.guest || !rooms.isPresent(person)) return
      if (!rooms.isHere(person)) return await peers.broadcast('invited', { person: person.id })
      const trouble = warnOfStorage(log, 'could not show a person their invitations', { person: person.name })
      const notices = await store.take(person.id).catch(trouble)
      for (const draft of linesOf(notices ?? [])) rooms.whisper(person, draft)
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
