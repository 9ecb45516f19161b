// people/ says which name and keys belong to which person, and who may log in with codes and tokens. It must
// not know what a room is. It also uses the `PeopleStore` of ../ports.ts. Times are in milliseconds since the
// epoch; stores reject with `StorageError` only, and then changed nothing.
import type { RoomName } from '../../words/entry.ts'
import type { Fingerprint, Person, PersonId } from '../../words/person.ts'

/** An invite code; the code itself is not stored, only its digest. */
export interface Invite {
  readonly id: number
  readonly by: Person
  readonly room: RoomName | null
  readonly uses: number
  readonly usesLeft: number
  readonly until: number
}

export interface NewInvite extends Pick<Invite, 'room' | 'uses' | 'until'> {
  readonly by: PersonId
  readonly digest: string
  readonly at: number
}

export interface Newcomer {
  readonly person: Person
  readonly skeleton: string
  readonly key: Fingerprint
  readonly at: number
  readonly most: number
}

export interface InviteStore {
  /** Resolves to the invite's id; undefined if its maker has `max` open invites already. */
  add(invite: NewInvite, max: number): Promise<number | undefined>
  list(at: number, by?: PersonId): Promise<readonly Invite[]>
  find(digest: string, at: number): Promise<Invite | undefined>
  /** Resolves to false if there is no such open invite, or its maker is not `by`, if given. */
  revoke(id: number, at: number, by?: PersonId): Promise<boolean>
  /**
   * Registers a newcomer with one use of the code, and makes them a member of its public room, or invites
   * them to its private room, if the maker still manages it. Resolves to the code before this use, with the
   * newcomer's room. `no-code`: the code is not open; `no-name`: the skeleton is taken.
   */
  redeem(digest: string, newcomer: Newcomer): Promise<Invite | 'no-code' | 'no-name'>
}

/** A bearer token; the token itself is not stored, only its digest. */
export interface StoredToken {
  readonly id: number
  readonly by: Person
  /** The key of its maker's login. */
  readonly key: Fingerprint | null
  /** The only rooms that the token reaches, in order of name; null for all of its maker's rooms. */
  readonly rooms: readonly RoomName[] | null
  readonly at: number
  readonly until: number
}

export interface NewToken extends Omit<StoredToken, 'id' | 'by'> {
  readonly by: PersonId
  readonly digest: string
}

/** Valid until it expires, is revoked or loses its key. A token loses a room that is deleted. */
export interface TokenStore {
  /** Resolves to the token's id; undefined if its maker has `max` valid tokens already. */
  add(token: NewToken, max: number): Promise<number | undefined>
  list(by: PersonId, at: number): Promise<readonly StoredToken[]>
  find(digest: string, at: number): Promise<StoredToken | undefined>
  /** Resolves to false if there is no such valid token, or its maker is not `by`, if given. */
  revoke(id: number, at: number, by?: PersonId): Promise<boolean>
}

export interface TokenTexts {
  /** 256 random bits. */
  make(): string
  /** Takes any text, in a time that depends on its length alone. */
  digest(token: string): string
}

export interface StoredKey {
  readonly fingerprint: Fingerprint
  readonly addedAt: number
  /** True if the key never logged in under this name. Only that login may use it: it may be anybody's. */
  readonly isWaiting: boolean
}

export interface KeyStore {
  list(id: PersonId): Promise<readonly StoredKey[]>
  /** The key waits for its first login, even if others have it. `full`: the person has `max` keys. */
  add(id: PersonId, key: Fingerprint, at: number, max: number): Promise<'added' | 'known' | 'full'>
  /** Makes a waiting key the person's own. False if it is not waiting for them, or somebody else has it. */
  prove(id: PersonId, key: Fingerprint): Promise<boolean>
  /** Also removes the tokens made with the key. `last`: no other key has logged in. */
  remove(id: PersonId, key: Fingerprint): Promise<'removed' | 'unknown' | 'last'>
}

export interface NameChange {
  readonly id: PersonId
  readonly name: string
  readonly skeleton: string
  readonly at: number
  readonly keptUntil: number
}

export interface NameStore {
  /** Reserves the former name, and updates grants and charges. `full`: `max` names are reserved already. */
  rename(change: NameChange, max: number): Promise<'renamed' | 'taken' | 'full'>
}

export interface Codes {
  /** Returns a code of 80 random bits. */
  make(): string
  /** Case, spaces and dashes make no difference. */
  digest(code: string): string
}

export interface NameIndex {
  /** Recomputes skeletons by the current rules; undefined if they are up to date. All names and keys stay. */
  reindexNames(): Promise<ReindexedNames | undefined>
}

export interface ReindexedNames {
  readonly names: number
  readonly alike: readonly { readonly name: string; readonly like: string }[]
  /** Names that nobody could register now (`problemWithName`). */
  readonly unfit: readonly string[]
}
