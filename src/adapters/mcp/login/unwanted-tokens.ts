import type { Log } from '../../../chat/ports.ts'
import type { LoginKeeper } from './keeper.ts'
import type { LoginFetch } from './login-fetch.ts'
import type { GivenLogin } from './login-file.ts'
import { allOf, besides } from './replaced.ts'
import { revoke } from './revoke.ts'

/** What becomes of tokens that nobody wants any more: they are given back, together with the login that is held, if there is one. */
export interface UnwantedTokens {
  /** They are held by nobody: somebody logged out, or in again. Where there is a login, they end with that. */
  giveUp(logins: readonly GivenLogin[]): Promise<void>
  /** Now, whatever is held. Never rejects for what the issuer does: the log says how it went. */
  giveBack(logins: readonly GivenLogin[]): Promise<void>
  /** This login is held from now on, and the one before it is given back with it. */
  replaceBy(login: GivenLogin): Promise<void>
  /** No login is held from now on. Resolves to why tokens may still hold; undefined where none does. */
  leave(): Promise<string | undefined>
}

export function createUnwantedTokens(
  keeper: LoginKeeper,
  fetchFn: LoginFetch,
  server: string,
  log: Log,
): UnwantedTokens {
  const revokeAll = (logins: readonly GivenLogin[]): Promise<readonly (string | undefined)[]> =>
    Promise.all(logins.map((one) => revoke(one, fetchFn)))

  async function giveBack(logins: readonly GivenLogin[]): Promise<void> {
    for (const why of await revokeAll(logins))
      if (why === undefined)
        log.info({ server }, 'tokens of an MCP server that nobody wants any more were given back')
      else log.warn({ server, why }, 'tokens of an MCP server that nobody wants any more may still hold')
  }

  return {
    giveBack,
    async giveUp(logins) {
      const now = keeper.now()
      await (now ? keeper.keep(besides(now, logins)) : giveBack(logins))
    },
    async replaceBy(login) {
      const before = await keeper.held()
      await keeper.keep(before ? besides(login, allOf(before)) : login)
    },
    async leave() {
      const login = await keeper.held()
      await keeper.forget()
      const reasons = login ? await revokeAll(allOf(login)) : []
      return reasons.findLast((why) => why !== undefined)
    },
  }
}
