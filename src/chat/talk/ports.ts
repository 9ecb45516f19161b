/**
 * talk/ is what people do with what was said, and beside it: mending their own lines, reactions, messages to one person,
 * being away, and ignoring somebody.
 *
 * It must not know how a command is parsed, how a session is drawn, or what models do. What it needs on disk is in this
 * file; messages to one person are in no room's log, so nothing that reads a log finds them.
 */
import type { Fingerprint, Person, PersonId } from '../people/person.ts'

/** Something that one person wrote to another one, until it was shown. */
export interface DirectMessage {
  /** Sorts in time order. */
  readonly id: string
  readonly to: PersonId
  readonly from: Sender
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

/** Who wrote a message. */
export interface Sender extends Pick<Person, 'id' | 'name' | 'guest'> {
  /** The one that they came with. */
  readonly key?: Fingerprint
}

/** How many messages may wait. */
export interface WaitingLimits {
  /** For one person. */
  readonly forOne: number
  /** Of those, from one sender, and from one key under all its names. */
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
  /** Their keys, with the one that they came with when they were ignored. */
  readonly keys: readonly Fingerprint[]
  /** The other people who have one of these keys. */
  readonly sameKey: readonly Pick<Person, 'id' | 'name'>[]
}

/** Whom registered people ignore. All methods reject with `StorageError` only. */
export interface IgnoredStore {
  /** In order of name. */
  ignoredBy(person: PersonId): Promise<readonly Ignored[]>
  /** With the key that the other came with, if any. Somebody who is ignored already stays so. */
  add(person: PersonId, other: Pick<Person, 'id' | 'name'>, key?: Fingerprint): Promise<void>
  remove(person: PersonId, other: PersonId): Promise<void>
}

/** That somebody is away. */
export interface StoredAbsence {
  readonly person: PersonId
  /** Empty where they gave no reason. */
  readonly text: string
}

/** Registered people who are away. All methods reject with `StorageError` only. */
export interface AwayStore {
  /** Those who left last come last. */
  away(): Promise<readonly StoredAbsence[]>
  /** `at` is in milliseconds since the epoch. Takes the place of what they said before. */
  leave(absence: StoredAbsence, at: number): Promise<void>
  /** Who is not away stays so. */
  comeBack(person: PersonId): Promise<void>
}
