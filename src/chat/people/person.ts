import type { Brand } from '../../lib/brand.ts'

export type PersonId = Brand<'PersonId'>

/** `SHA256:` and the unpadded base64 of the public key's digest, as `ssh-keygen -lf` prints it. */
export type Fingerprint = Brand<'Fingerprint'>

/** Somebody known by a key. A guest is not stored: the name is lent to the key while the server runs. */
export interface Person {
  readonly id: PersonId
  readonly name: string
  readonly admin: boolean
  readonly guest: boolean
  /** Why a guest has no name of their own, as a sentence without its full stop. */
  readonly why?: string
  /** How they came in; absent where they were read from the store. */
  readonly login?: Login
}

/** What several names can have in common: limits hold for each of these as for a person. */
export interface Login {
  readonly key: Fingerprint
  /** Where it came from: an IPv4 address or an IPv6 /64. */
  readonly network: string
}

/** What a person is in one room, the one with most rights first. `admin` is given by the server, the others by the room. */
export type Role = 'admin' | 'owner' | 'op' | 'member' | 'guest'
