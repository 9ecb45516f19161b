import { Refusal } from '../errors.ts'
import type { Clock, Log } from '../ports.ts'
import type { Fingerprint, Person } from './person.ts'
import type { KeyStore, StoredKey } from './ports.ts'

/** The keys with which a person comes in. All throw `Refusal` for a guest, and reject with `StorageError` too. */
export interface Keys {
  /** In the order in which they were added; none for somebody who comes with certificates. */
  list(person: Person): Promise<readonly StoredKey[]>
  /**
   * Adds the public key in a line of a `.pub` file, which waits for its first login. That somebody else has it, or that it is banned, is
   * not told. Throws `Refusal`: no key, theirs already, too many.
   */
  add(person: Person, line: string): Promise<Fingerprint>
  /** Throws `Refusal` for the last one that does not wait, and for one that is not theirs. */
  remove(person: Person, fingerprint: string): Promise<void>
}

/** What keys are kept with. */
export interface KeysParts {
  readonly store: KeyStore
  /** The fingerprint of a public key that could log in. */
  readonly readLine: (line: string) => Fingerprint | undefined
  readonly clock: Clock
  readonly log: Log
  /** How many one person may have; asked at each use. */
  readonly maxKeys: () => number
}

const NO_KEY =
  'this is no public key that could log in: give the line of a .pub file, such as "ssh-ed25519 AAAA…"; nothing was added'

const LAST_KEY =
  'this is your last key that has logged in, and without it you could not come in; log in with another one first'

export function createKeys({ store, readLine, clock, log, maxKeys }: KeysParts): Keys {
  return {
    async list(person) {
      refuseGuest(person)
      return await store.list(person.id)
    },
    async add(person, line) {
      refuseGuest(person)
      const key = readLine(line)
      if (!key) throw new Refusal(NO_KEY)
      const outcome = await store.add(person.id, key, clock.now(), maxKeys())
      if (outcome === 'known') throw new Refusal(`${key} is yours already`)
      if (outcome === 'full')
        throw new Refusal(`you have ${maxKeys()} keys already; remove one before you add another`)
      log.info({ person: person.name, key }, 'a key was added')
      return key
    },
    async remove(person, fingerprint) {
      refuseGuest(person)
      const key = (await store.list(person.id)).find((one) => one.fingerprint === fingerprint)
      const outcome = key ? await store.remove(person.id, key.fingerprint) : 'unknown'
      if (outcome === 'last') throw new Refusal(LAST_KEY)
      if (outcome === 'unknown')
        throw new Refusal(`you have no key ${fingerprint.slice(0, 60)}; /keys list shows yours`)
      log.info({ person: person.name, key: fingerprint }, 'a key was removed')
    },
  }
}

function refuseGuest({ guest }: Person): void {
  if (guest) throw new Refusal('a guest has no keys here; log in with a name of your own')
}
