import type { Sanctions } from '../moderation/sanctions.ts'
import type { Log, LoginFacts, PeopleStore } from '../ports.ts'
import type { Fingerprint, Person } from './person.ts'
import type { KeyStore } from './ports.ts'

/** What the first login with a key that somebody added depends on. */
export interface FirstLoginParts {
  readonly store: Pick<PeopleStore, 'keysOf'>
  readonly keys: Pick<KeyStore, 'prove'>
  readonly sanctions: Pick<Sanctions, 'whyOut'>
  readonly log: Log
  /** Whether the config names the key as an admin's. */
  readonly isAdminKey: (key: Fingerprint) => boolean
}

/**
 * The first login with a key that somebody added to their name: it is theirs from then on, and they are told whose account that is. A
 * public key is anybody's to add, so whoever has the private one must not be drawn into an account that others come
 * into: not with a key that is somebody's already, nor with an admin's, unless the account is an admin's by itself.
 * Resolves to nothing where it is not taken; rejects with `StorageError`.
 */
export function createFirstLogin({ store, keys, sanctions, log, isAdminKey }: FirstLoginParts) {
  const isAdmins = async ({ id, admin }: Person): Promise<boolean> =>
    admin || (await store.keysOf(id)).some(isAdminKey)

  return async (
    { person, isWaiting, namesOfKey }: LoginFacts,
    key: Fingerprint,
  ): Promise<Person | undefined> => {
    if (!person || !isWaiting || namesOfKey > 0 || sanctions.whyOut(person) !== undefined) return undefined
    if (isAdminKey(key) && !(await isAdmins(person))) return undefined
    if (!(await keys.prove(person.id, key))) return undefined
    log.info({ person: person.name, key }, 'a key that was added logged in for the first time')
    return { ...person, notice: welcome(person.name, key) }
  }
}

const welcome = (name: string, key: Fingerprint): string =>
  `${name} added this key, ${key}, and it lets you in as ${name} from now on: whoever has the other keys of keys list reads what you do here. If that is not you: keys remove ${key}`
