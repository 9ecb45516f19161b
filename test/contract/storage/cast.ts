import { expect } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Entry, EntryId, EntryKind, RoomName } from '../../../src/words/entry.ts'
import { StorageError } from '../../../src/words/errors.ts'
import type { Fingerprint, Person, PersonId } from '../../../src/words/person.ts'
import { message } from '../../support/storage.ts'

export const lobby = 'lobby' as RoomName
export const den = 'den' as RoomName
export const nowhere = 'nowhere' as RoomName

export const alice: Person = { id: 'p-alice' as PersonId, name: 'alice', admin: false, guest: false }
export const bob: Person = { id: 'p-bob' as PersonId, name: 'Bob', admin: false, guest: false }

export const key = (n: number): Fingerprint => `SHA256:${n}` as Fingerprint

/** Ids that sort as their numbers do. */
export const idOf = (n: number): EntryId => `01HZZZZZZZZZZZZZZZZZZZ${String(n).padStart(4, '0')}` as EntryId

export const idsOf = (entries: readonly Entry[]): readonly EntryId[] => entries.map((entry) => entry.id)

export const textsOf = (entries: readonly Entry[]): readonly string[] => entries.map((entry) => entry.text)

/** Appends `text N` with the ids of these numbers. */
export async function say(
  store: Storage,
  from: number,
  to: number,
  kind: EntryKind = 'message',
  where = lobby,
) {
  for (let n = from; n <= to; n++) {
    await store.chat.entries.append({ ...message(idOf(n), where, `text ${n}`), kind } as Entry)
  }
}

/** Registers people, each by the small letters of the name. */
export async function register(store: Storage, ...persons: readonly Person[]): Promise<void> {
  for (const person of persons) await store.chat.people.register(person, person.name.toLowerCase(), key(1), 5)
}

/** The attempt must fail as storage fails. */
export async function refused(attempt: Promise<unknown>): Promise<void> {
  await expect(attempt).rejects.toBeInstanceOf(StorageError)
}
