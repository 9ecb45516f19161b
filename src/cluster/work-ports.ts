// What servers must know of each other's work: what runs and waits in queues that they have together, and which questions are open.
import type { PersonId } from '../chat/people/person.ts'
import type { RoomName } from '../chat/entry.ts'
import type { JsonObject } from '../lib/json.ts'
import type { ServerId } from './server-id.ts'

/** What is at work on a server: a turn of a model, a tool that somebody runs, the summing up of a room, a hook of its script. */
export interface WorkItem {
  readonly id: string
  readonly kind: 'turn' | 'run' | 'summary' | 'hook'
  /** Those of one queue wait for each other, or have a number together. */
  readonly queue: string
  readonly room: RoomName
  /** Who asked for it. */
  readonly person: PersonId
  /** What else is known of it from its beginning. */
  readonly facts: JsonObject
}

/** As it is now. */
export interface WorkRow extends WorkItem {
  readonly server: ServerId
  /** It has not begun. */
  readonly waits: boolean
  /** What it was last said to do. */
  readonly doing: JsonObject
  /** Milliseconds since it was asked for, by the database's clock. */
  readonly ageMs: number
}

/** How many of one queue run at once, and how many wait. */
export interface SlotLimits {
  readonly running: number
  readonly waiting: number
}

/** What came of asking for a slot in a queue. */
export type Taken =
  | { readonly taken: true; readonly waits: boolean }
  /** It is full: so many there are. */
  | ({ readonly taken: false } & SlotLimits)

/**
 * What is at work on all servers. Who comes next in a queue says lib/jobs/next-in-line.ts. What belongs to a server that has
 * died is gone with it. All methods reject with `StorageError` only.
 */
export interface WorkStore {
  /** It runs on this server, or waits, if its queue is not full. */
  take(work: WorkItem, limits: SlotLimits): Promise<Taken>
  /** It has ended, or does not wait any more: as many as may run now begin. */
  leave(work: Pick<WorkItem, 'id' | 'queue'>, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** As many as may run now begin: others may have died. */
  fill(queue: string, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** This server's does that now. */
  tell(id: string, doing: JsonObject): Promise<void>
  /** All, or those with these ids, in the order of asking. */
  read(ids?: readonly string[]): Promise<readonly WorkRow[]>
}

/** A question of a room, and its number there. */
export interface QuestionKey {
  readonly room: RoomName
  readonly number: number
}

/** A question that a server has asked, until it is over. */
export interface QuestionRow extends QuestionKey {
  readonly server: ServerId
  readonly asked: JsonObject
  /** Given through another server, and to be carried out by the one that asked. */
  readonly answer?: JsonObject
}

/** How many are open in a room, and how many of those somebody has asked. */
export interface QuestionCounts {
  readonly open: number
  readonly own: number
}

/** The questions of all servers. Those of a server that has died are gone with it. All methods reject with `StorageError` only. */
export interface QuestionStore {
  /** Opens one, and gives its number, which its room has never had; or the counts, where these do not let it. */
  open(
    question: { readonly room: RoomName; readonly person: PersonId; readonly asked: JsonObject },
    mayOpen: (counts: QuestionCounts) => boolean,
  ): Promise<number | QuestionCounts>
  /** Removes one of this server's. It stays where it was `answered` through another one, and is `gone` where its server was dead. */
  close(question: QuestionKey): Promise<'closed' | 'answered' | 'gone'>
  /** Removes one of this server's, whatever has become of it. */
  remove(question: QuestionKey): Promise<void>
  /** Gives the first answer to a question. False if it has one, or is over. */
  answer(question: QuestionKey, answer: JsonObject): Promise<boolean>
  /** All, or these, in the order of asking. */
  read(questions?: readonly QuestionKey[]): Promise<readonly QuestionRow[]>
}
