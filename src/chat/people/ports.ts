/**
 * people/ says which name and which keys belong to whom, who is a guest or an admin, which codes let newcomers in, and
 * what the tokens of programs are worth. It must not know what a room is, nor how somebody logged in. Besides this
 * file it needs the `PeopleStore` of ../ports.ts.
 */
import type { RoomName } from '../entry.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'

/**
 * An invite code as it is stored. The code itself is kept nowhere: only its digest is, by which it is found.
 */
export interface Invite {
  /** Never given twice. */
  readonly id: number
  readonly by: Person
  /** Where its newcomers are invited too; null for no room. */
  readonly room: RoomName | null
  /** How many people it lets in altogether. */
  readonly uses: number
  readonly usesLeft: number
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number
}

/** A code to be stored. Times are in milliseconds since the epoch. */
export interface NewInvite extends Pick<Invite, 'room' | 'uses' | 'until'> {
  readonly by: PersonId
  readonly digest: string
  readonly at: number
}

/** Somebody who asks to be registered with a code. */
export interface Newcomer {
  readonly person: Person
  readonly skeleton: string
  readonly key: Fingerprint
  readonly at: number
  /** How many names the key may have. */
  readonly most: number
}

/**
 * Invite codes. A code is open until it is used up, revoked or expired. All methods reject with
 * `StorageError` only, and then nothing was changed.
 */
export interface InviteStore {
  /** Its id; undefined, and nothing stored, if its maker has `max` open ones already. */
  add(invite: NewInvite, max: number): Promise<number | undefined>
  /** The open ones in order of id: of one person, or all. */
  list(at: number, by?: PersonId): Promise<readonly Invite[]>
  /** The open one with this digest. */
  find(digest: string, at: number): Promise<Invite | undefined>
  /** False if there is no such open one of this person, or, where `by` is absent, of anybody. */
  revoke(id: number, at: number, by?: PersonId): Promise<boolean>
  /**
   * In one transaction: registers somebody who is not an admin, takes one use of the code, and makes them
   * invited in its room, or a member where the room is public. A private room is left out if the maker of the
   * code no longer manages it. Gives the code as it was before, with the room that they were let into.
   * `no-code`: it is not open; `no-name`: the skeleton is taken. Both change nothing.
   */
  redeem(digest: string, newcomer: Newcomer): Promise<Invite | 'no-code' | 'no-name'>
}

/**
 * A bearer token as it is stored. The token itself is kept nowhere: only its digest is, by which it is found.
 */
export interface StoredToken {
  /** Never given twice. */
  readonly id: number
  readonly by: Person
  /** The key that its maker came in with, as far as it is known. */
  readonly key: Fingerprint | null
  /** The only rooms that there are for it, in order of name; null for all that its maker may see. */
  readonly rooms: readonly RoomName[] | null
  /** When it was made and when it expires, in milliseconds since the epoch. */
  readonly at: number
  readonly until: number
}

/** A token to be stored. */
export interface NewToken extends Omit<StoredToken, 'id' | 'by'> {
  readonly by: PersonId
  readonly digest: string
}

/**
 * Bearer tokens. One holds until it is revoked or expires, or the key that it was made with is removed. A
 * room that is deleted is taken out of it. All methods reject with `StorageError` only, and then nothing was
 * changed.
 */
export interface TokenStore {
  /** Its id; undefined, and nothing stored, if its maker has `max` that hold already. */
  add(token: NewToken, max: number): Promise<number | undefined>
  /** Those of one person that hold at this time, in order of id. */
  list(by: PersonId, at: number): Promise<readonly StoredToken[]>
  /** The one with this digest, if it holds. */
  find(digest: string, at: number): Promise<StoredToken | undefined>
  /** False if there is none of this person that holds, or, where `by` is absent, of anybody. */
  revoke(id: number, at: number, by?: PersonId): Promise<boolean>
}

/** Makes and recognises the texts of tokens. */
export interface TokenTexts {
  /** A new one that nobody can guess: 256 random bits. */
  make(): string
  /**
   * A digest from which a token cannot be found. Takes any text, in a time that depends on its length alone.
   */
  digest(token: string): string
}

/** A key of somebody. `addedAt` is in milliseconds since the epoch. */
export interface StoredKey {
  readonly fingerprint: Fingerprint
  readonly addedAt: number
  /**
   * It was added, and has not logged in under their name yet: it may be anybody's, and counts for nothing but
   * that login.
   */
  readonly isWaiting: boolean
}

/** The keys with which registered people log in. All methods reject with `StorageError` only. */
export interface KeyStore {
  /** In the order in which they were added; none for somebody unknown. */
  list(id: PersonId): Promise<readonly StoredKey[]>
  /**
   * The key waits for its first login, whoever else has it or waits for it. `full`: the person has `max`
   * keys, those that wait included. Only `added` changes anything.
   */
  add(id: PersonId, key: Fingerprint, at: number, max: number): Promise<'added' | 'known' | 'full'>
  /**
   * A key that waited is theirs, since its owner logged in; false, and nothing done, if it did not wait, or
   * is somebody else's.
   */
  prove(id: PersonId, key: Fingerprint): Promise<boolean>
  /**
   * The last one that does not wait is never removed. The tokens that were made with it go too. Only
   * `removed` changes anything.
   */
  remove(id: PersonId, key: Fingerprint): Promise<'removed' | 'unknown' | 'last'>
}

/** A change of somebody's name. Times are in milliseconds since the epoch. */
export interface NameChange {
  readonly id: PersonId
  readonly name: string
  readonly skeleton: string
  readonly at: number
  /** Until then nobody else can have the former name. */
  readonly keptUntil: number
}

/** The names of registered people. Rejects with `StorageError` only. */
export interface NameStore {
  /**
   * In one transaction: changes the name of a person, keeps the former one for them, and changes the name
   * where standing permissions and charges are stored under it. `full`: they have `max` kept names already.
   * Only `renamed` changes anything.
   */
  rename(change: NameChange, max: number): Promise<'renamed' | 'taken' | 'full'>
}

/** Makes and recognises codes that are told from person to person. */
export interface Codes {
  /** A new code that nobody can guess: 80 random bits. */
  make(): string
  /** A digest from which a code cannot be found. Case, spaces and dashes make no difference. */
  digest(code: string): string
}

/**
 * Files people's names by the rules of now; rejects with `StorageError` only, and then nothing was changed.
 */
export interface NameFiling {
  /**
   * Files all names: their skeletons and looks (lib/text/names.ts). Undefined, and nothing done, if they
   * are filed so. Nobody loses a name or a key.
   */
  fileNames(): Promise<NamesFiled | undefined>
}

/** What was found when all names were filed anew. */
export interface NamesFiled {
  /** How many there are. */
  readonly names: number
  /** Names that cannot be told from a name that was there before. */
  readonly alike: readonly { readonly name: string; readonly like: string }[]
  /** Names that nobody could register now (`problemWithName`). */
  readonly unfit: readonly string[]
}
