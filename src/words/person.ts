import type { Brand } from '../base/basics.ts'

export type PersonId = Brand<'PersonId'>

/** As `ssh-keygen -lf` prints it: `SHA256:` and 43 characters of base64. */
export type Fingerprint = Brand<'Fingerprint'>

/** Somebody known by a key. A guest is not stored. */
export interface Person {
  readonly id: PersonId
  /** Can change while the person is here. */
  readonly name: string
  /** True for a stored admin, or for the key of an admin by the config. Can change while they are here. */
  readonly admin: boolean
  readonly guest: boolean
  /** Why a guest has no name of their own, as a sentence without its full stop. */
  readonly why?: string
  /** What the person must know about this login, as a sentence without its full stop. */
  readonly notice?: string
  readonly login?: Login
  /** Set if the person has only a plain member's rights in this room, and may read no other private room. */
  readonly plainMemberOf?: string
}

/** Limits apply to the key and the network as to the person. */
export interface Login {
  readonly key: Fingerprint
  /** An IPv4 address or an IPv6 /64. */
  readonly network: string
  /** Where this server was reached, such as `-p 2222 HOST` for ssh; absent for programs. */
  readonly reachedAt?: { readonly host: string; readonly port: number }
  /** The end of the certificate that let the key in, in milliseconds since the epoch. */
  readonly certifiedUntil?: number
  readonly token?: TokenLogin
}

export interface TokenLogin {
  readonly id: number
  readonly until: number
  /** The only rooms that the token reaches; absent for all rooms. */
  readonly rooms?: ReadonlySet<string>
}

/** Adds a login. A spread would freeze the name and the rights, which are getters. */
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

export const asPlainMember = (person: Person, room: string): Person => ({
  ...person,
  get name() {
    return person.name
  },
  admin: false,
  plainMemberOf: room,
})

export type Role = 'admin' | 'owner' | 'op' | 'member' | 'guest'

/** Undefined for a registered person. No name contains a colon. */
export const keyOfGuest = (id: PersonId): Fingerprint | undefined =>
  /^guest:(.+):[^:]*$/.exec(id)?.[1] as Fingerprint | undefined
