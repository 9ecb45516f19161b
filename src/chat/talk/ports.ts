// talk/ is what people do beside speaking in a room: changes of own lines, reactions, messages to one person,
// being away, ignoring. It must not know commands, screens or models. Stores reject with `StorageError` only;
// times are in milliseconds since the epoch.
import type { Fingerprint, Person, PersonId } from '../../words/person.ts'

export interface DirectMessage {
  /** Sorts in time order. */
  readonly id: string
  readonly to: PersonId
  readonly from: Sender
  readonly at: number
  readonly text: string
}

export interface Sender extends Pick<Person, 'id' | 'name' | 'guest'> {
  /** The key of the sender's login. */
  readonly key?: Fingerprint
}

export interface WaitingLimits {
  readonly forOne: number
  /** The most messages of one sender, and of one key under all its names. */
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

export interface IgnoredPerson {
  readonly id: PersonId
  /** The current name; for a guest, the name at the time of ignoring. */
  readonly name: string
  readonly nameThen: string
  /** All known keys, with the key of their login at the time of ignoring. */
  readonly keys: readonly Fingerprint[]
  readonly sameKey: readonly Pick<Person, 'id' | 'name'>[]
}

export interface IgnoredStore {
  ignoredBy(person: PersonId): Promise<readonly IgnoredPerson[]>
  /** `key` is the key of the other's login. Changes nothing for somebody who is ignored already. */
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
