/**
 * talk/ is what people do with what was said, and beside it: mending their own lines, reactions, messages to one person,
 * being away, and ignoring somebody.
 *
 * It must not know how a command is parsed, how a session is drawn, or what models do. What it needs on disk is in this
 * file; messages to one person are in no room's log, so nothing that reads a log finds them.
 */
import type { Person, PersonId } from '../people/person.ts'

/** Something that one person wrote to another one, until it was shown. */
export interface DirectMessage {
  /** Sorts in time order. */
  readonly id: string
  readonly to: PersonId
  readonly from: Pick<Person, 'id' | 'name' | 'guest'>
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

/** How many messages may wait. */
export interface WaitingLimits {
  /** For one person. */
  readonly forOne: number
  /** Of those, from one sender. */
  readonly fromOne: number
  /** For all people together. */
  readonly inAll: number
  /** Milliseconds since the epoch: what was written before is deleted first. */
  readonly notBefore: number
}

/** Messages that wait for registered people. All methods reject with `StorageError` only. */
export interface DirectMessageStore {
  /** False, and nothing stored, where too many wait already. */
  put(message: DirectMessage, limits: WaitingLimits): Promise<boolean>
  /** Oldest first. */
  waiting(person: PersonId): Promise<readonly DirectMessage[]>
  /** Unknown ids are left out. */
  remove(ids: readonly string[]): Promise<void>
}

/** Somebody who is ignored. */
export interface Ignored {
  readonly id: PersonId
  /** What they are called now; of who is not registered, what they were called. */
  readonly name: string
  /** What they were called when they were ignored. */
  readonly nameThen: string
}

/** Whom registered people ignore. All methods reject with `StorageError` only. */
export interface IgnoredStore {
  /** In order of name. */
  ignoredBy(person: PersonId): Promise<readonly Ignored[]>
  /** Somebody who is ignored already stays so. */
  add(person: PersonId, other: Pick<Person, 'id' | 'name'>): Promise<void>
  remove(person: PersonId, other: PersonId): Promise<void>
}
