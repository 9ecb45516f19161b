/**
 * talk/ is what people do with what was said, and beside it: own lines, reactions, messages to one person,
 * being away, ignoring. It must not know commands, screens or models. Stores reject with `StorageError` only;
 * times are in milliseconds since the epoch.
 */
import type { Fingerprint, Person, PersonId } from '../people/person.ts'

export interface DirectMessage {
  /** Sorts in time order. */
  readonly id: string
  readonly to: PersonId
  readonly from: Sender
  readonly at: number
  readonly text: string
}

export interface Sender extends Pick<Person, 'id' | 'name' | 'guest'> {
  /** The one that they came with. */
  readonly key?: Fingerprint
}

export interface WaitingLimits {
  readonly forOne: number
  /** Of those, from one sender, and from one key under all its names. */
  readonly fromOne: number
  readonly inAll: number
  readonly notBefore: number
}

export interface DirectMessageStore {
  /** False, and nothing stored, if too many wait already. */
  put(message: DirectMessage, limits: WaitingLimits): Promise<boolean>
  waiting(person: PersonId): Promise<readonly DirectMessage[]>
  remove(ids: readonly string[]): Promise<void>
}

export interface Ignored {
  readonly id: PersonId
  /** Their present name; for a guest, the name then. */
  readonly name: string
  readonly nameThen: string
  /** With the key that they came with when they were ignored. */
  readonly keys: readonly Fingerprint[]
  readonly sameKey: readonly Pick<Person, 'id' | 'name'>[]
}

export interface IgnoredStore {
  ignoredBy(person: PersonId): Promise<readonly Ignored[]>
  /** With the key that the other came with. Changes nothing for somebody who is ignored already. */
  add(person: PersonId, other: Pick<Person, 'id' | 'name'>, key?: Fingerprint): Promise<void>
  remove(person: PersonId, other: PersonId): Promise<void>
}

export interface StoredAbsence {
  readonly person: PersonId
  /** Empty for no reason. */
  readonly text: string
}

export interface AwayStore {
  away(): Promise<readonly StoredAbsence[]>
  /** Replaces what they said before. */
  leave(absence: StoredAbsence, at: number): Promise<void>
  comeBack(person: PersonId): Promise<void>
}
