import type { GivenLogin, KeptLogin } from './login-file.ts'

/** So many are kept beside a login; the oldest of more are forgotten, and hold until they expire. */
const MAX_REPLACED = 8

/**
 * A login with others beside it, the newest last. They are not taken back at once: an issuer may end all that one person and one
 * client have when one of their tokens is taken back (RFC 7009, 2.1).
 */
export function besides(login: KeptLogin, others: readonly GivenLogin[]): KeptLogin {
  const before = [...(login.replaced ?? []), ...others].filter((other) => tokenOf(other) !== tokenOf(login))
  const replaced = [...new Map(before.map((one) => [tokenOf(one), one])).values()].slice(-MAX_REPLACED)
  return replaced.length === 0 ? login : { ...login, replaced }
}

/** Those beside a login and that one itself, which comes last. */
export const allOf = ({ replaced = [], ...login }: KeptLogin): readonly GivenLogin[] => [...replaced, login]

/** By what a login is taken back. Some issuers give the same again: then it is the same login. */
const tokenOf = ({ tokens }: GivenLogin): string => tokens.refresh_token ?? tokens.access_token
