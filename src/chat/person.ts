import type { Brand } from '../lib/brand.ts'

export type PersonId = Brand<'PersonId'>

/** `SHA256:` and the unpadded base64 of the public key's digest, as `ssh-keygen -lf` prints it. */
export type Fingerprint = Brand<'Fingerprint'>

/** Somebody known by a key. A guest has no row in the store: the name is lent for the connection. */
export interface Person {
  readonly id: PersonId
  readonly name: string
  readonly admin: boolean
  readonly guest: boolean
}

/** What a person may do in one room, strongest first. `admin` is the server's, the others the room's. */
export type Role = 'admin' | 'owner' | 'op' | 'member' | 'guest'
