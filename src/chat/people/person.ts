import type { Brand } from '../../lib/brand.ts'

export type PersonId = Brand<'PersonId'>

/** `SHA256:` and the unpadded base64 of the public key's digest, as `ssh-keygen -lf` prints it. */
export type Fingerprint = Brand<'Fingerprint'>

/** Somebody known by a key. A guest is not stored, and is known by the key alone. */
export interface Person {
  readonly id: PersonId
  /** The name of now: a person who came in can change it while they are here. */
  readonly name: string
  /** Whether they are an admin now, with the key that they came in with: that can end while they are here, too. */
  readonly admin: boolean
  readonly guest: boolean
  /** Why a guest has no name of their own, as a sentence without its full stop. */
  readonly why?: string
  /** What they must know of this login, as a sentence without its full stop. */
  readonly notice?: string
  /** How they came in; absent where they were read from the store. */
  readonly login?: Login
}

/** What several names can have in common: limits hold for each of these as for a person. */
export interface Login {
  readonly key: Fingerprint
  /** Where it came from: an IPv4 address or an IPv6 /64. */
  readonly network: string
  /** When the certificate ends that let the key in, in milliseconds since the epoch; absent where none did. */
  readonly certifiedUntil?: number
  /** Present where a token stands for the key. */
  readonly token?: TokenLogin
}

/** A program that came in with a token of somebody. */
export interface TokenLogin {
  readonly id: number
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number
  /** Names of the only rooms that there are for it; absent for all that the person may see. */
  readonly rooms?: ReadonlySet<string>
}

/** The same person, and how they came in. Their name and rights stay those of now. */
export const withLogin = (person: Person, login: Login): Person => ({
  ...person,
  get name() {
    return person.name
  },
  get admin() {
    return person.admin
  },
  login,
})

/** What a person is in one room, the one with most rights first. `admin` is given by the server, the others by the room. */
export type Role = 'admin' | 'owner' | 'op' | 'member' | 'guest'
