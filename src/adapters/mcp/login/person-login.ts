import type { StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import type { Log } from '../../../chat/ports.ts'
import { masked } from '../secrets.ts'
import { isPrivateWay, type McpByUrl } from '../config.ts'
import { createAttempt, type Attempt } from './attempt.ts'
import { LoginError, LoginNeeded, type Challenge, type McpLogin } from './login.ts'
import { createLoginFetch, RefusedLogin } from './login-fetch.ts'
import { readLogin, removeLogin, writeLogin, type KeptLogin } from './login-file.ts'
import { revoke } from './revoke.ts'
import { loginError } from './trouble.ts'

/** What a login is made with. */
export interface PersonLoginParts {
  readonly name: string
  readonly reach: McpByUrl
  /** Where it is kept. */
  readonly file: string
  /** To where the browser goes in the end, where the config says nothing else. */
  readonly back: () => string
  readonly log: Log
}

/** How long a person has to log in, in ms. */
const HOLDS_MS = 10 * 60_000

/** Errors after which tokens, and with the second also what we are registered as, are worth nothing (RFC 6749, 5.2). */
const ENDED: readonly (string | undefined)[] = ['invalid_grant', 'invalid_client', 'unauthorized_client']

/** A login that a person makes in a browser. It is read when it is asked for the first time. */
export function createPersonLogin({ name, reach, file, back, log }: PersonLoginParts): McpLogin {
  const fetchFn = createLoginFetch(reach)
  const serverUrl = new URL(reach.url)
  const how = `/mcp login ${name}`
  const secrets = new Set<string>()
  /** With which token an answer was asked for. */
  const askedWith = new WeakMap<Response, string>()
  let loading: Promise<void> | undefined
  let login: KeptLogin | undefined
  let client: StoredOAuthClientInformation | undefined
  let begun: { readonly attempt: Attempt; readonly until: number } | undefined
  let challenge: Challenge = {}
  let isWanted = false
  let renewing: Promise<void> | undefined

  /** What is held now. */
  async function held(): Promise<KeptLogin | undefined> {
    loading ??= load()
    await loading
    return login
  }

  async function load(): Promise<void> {
    try {
      const found = await readLogin(file)
      if (found?.url !== reach.url) return
      take(found)
      client = found.client
    } catch (error) {
      log.error({ server: name, error }, `what is kept of a login cannot be read; ${how} makes another`)
    }
  }

  function take(next: KeptLogin | undefined): void {
    login = next
    const { access_token, refresh_token, id_token } = next?.tokens ?? {}
    for (const secret of [access_token, refresh_token, id_token, next?.client.client_secret])
      if (secret !== undefined) secrets.add(secret)
  }

  async function keep(next: KeptLogin): Promise<void> {
    take(next)
    try {
      await writeLogin(file, next)
    } catch (error) {
      // It holds until the next start.
      log.error({ server: name, error }, 'a login could not be kept')
    }
  }

  /** Gets the next token. Rejects with `LoginError`. */
  async function renew(): Promise<void> {
    const now = await held()
    if (!now) {
      isWanted = true
      throw new LoginNeeded(`it wants a login: ${how}, or give it a token by token_env`)
    }
    const { tokens, client: known, server, resource } = now
    if (tokens.refresh_token === undefined) return await ended(now, 'it cannot be renewed')
    const { refreshAuthorization } = await import('@modelcontextprotocol/client')
    try {
      const next = await refreshAuthorization(server.authorizationServerUrl, {
        metadata: server.authorizationServerMetadata,
        clientInformation: known,
        refreshToken: tokens.refresh_token,
        resource,
        fetchFn,
      })
      // Meanwhile somebody may have logged out, or in again.
      if (login === now) await keep({ ...now, tokens: { ...next, issuer: tokens.issuer } })
    } catch (error) {
      if (!(error instanceof RefusedLogin) || !ENDED.includes(error.code))
        throw new LoginError(`its login could not be renewed: ${loginError(error).message}`, { cause: error })
      if (error.code !== 'invalid_grant') client = undefined
      await ended(now, error.message)
    }
  }

  async function ended(now: KeptLogin, why: string): Promise<never> {
    if (login === now) await forget()
    isWanted = true
    throw new LoginNeeded(`its login has ended (${why}): ${how}`)
  }

  async function forget(): Promise<void> {
    take(undefined)
    await removeLogin(file).catch((error: unknown) =>
      log.error({ server: name, error }, 'a login could not be removed'),
    )
  }

  function attempt(): Attempt {
    const to = reach.oauth?.redirectUrl ?? back()
    const registeredFor = (client as { readonly redirect_uris?: unknown } | undefined)?.redirect_uris
    const fits = !Array.isArray(registeredFor) || registeredFor.includes(to)
    return createAttempt({
      reach,
      back: to,
      client: fits ? client : undefined,
      registered: (made) => void (client = made),
      keep,
    })
  }

  return {
    auth: {
      token: async () => (await held())?.tokens.access_token,
      async onUnauthorized({ response }) {
        const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
        challenge = { ...challenge, ...extractWWWAuthenticateParams(response) }
        await response.body?.cancel()
        // It may be there already.
        const asked = askedWith.get(response)
        if (login && asked !== undefined && asked !== `Bearer ${login.tokens.access_token}`) return
        // A refresh token holds once: all that wait for the next one wait for the same.
        renewing ??= renew().finally(() => (renewing = undefined))
        await renewing
      },
    },
    answered(response, authorization) {
      if (response.status === 401 && authorization !== null) askedWith.set(response, authorization)
    },
    wants: (scope) => void (challenge = { ...challenge, scope }),
    state: () => (login ? 'held' : isWanted ? 'wanted' : 'none'),
    masked: (text) => masked(text, [...secrets]),
    async begin() {
      if (!isPrivateWay(serverUrl))
        throw new LoginError(
          'its address has to begin with https:// for a login, so that nobody reads the token',
        )
      await held()
      const { auth } = await import('@modelcontextprotocol/client')
      const next = attempt()
      const scope = reach.oauth?.scopes?.join(' ') ?? challenge.scope
      try {
        await auth(next.provider, { serverUrl, ...challenge, scope, fetchFn })
        const address = next.address()
        begun = { attempt: next, until: performance.now() + HOLDS_MS }
        return { address, back: String(next.provider.redirectUrl), holdsMs: HOLDS_MS }
      } catch (error) {
        throw loginError(error)
      }
    },
    isBegun: (state) => begun !== undefined && begun.until > performance.now() && begun.attempt.isOf(state),
    async finish(answer) {
      if (!begun || begun.until <= performance.now())
        throw new LoginError(`no login of it is under way, or it took too long: ${how} begins one`)
      const { provider, isOf } = begun.attempt
      if (!isOf(answer.get('state') ?? ''))
        throw new LoginError('that is no answer to the login that was begun last: give the whole address')
      begun = undefined
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
      try {
        await new StreamableHTTPClientTransport(serverUrl, {
          authProvider: provider,
          fetch: fetchFn,
        }).finishAuth(answer)
      } catch (error) {
        throw loginError(error)
      }
      isWanted = false
      challenge = {}
    },
    async leave() {
      const now = await held()
      begun = undefined
      await forget()
      return now && (await revoke(now, fetchFn))
    },
  }
}
