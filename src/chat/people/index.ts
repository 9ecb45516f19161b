/** Keys and names of people, guests, invite codes and tokens. */
export { Invites, Keys, type ListedInvite, Tokens } from './credentials.ts'
export { People } from './people.ts'
export type {
  Codes,
  Invite,
  InviteStore,
  KeyStore,
  NameIndex,
  NameStore,
  ReindexedNames,
  Newcomer,
  StoredKey,
  StoredToken,
  TokenStore,
  TokenTexts,
} from './ports.ts'
