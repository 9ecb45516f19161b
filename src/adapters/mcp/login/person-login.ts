import type { OAuthDiscoveryState, StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import type { Log } from '../../../chat/ports.ts'
import { masked } from '../secrets.ts'
import { isPrivateWay, type McpByUrl } from '../config.ts'
import { createAttempt, type Attempt } from './attempt.ts'
import { LoginError, LoginNeeded, type Challenge, type McpLogin } from './login.ts'
import { challengeOf, giverOf } from './challenge.ts'
import { createLoginKeeper } from './keeper.ts'
import { createGuardedFetch, createLoginFetch } from './login-fetch.ts'
import type { KeptLogin } from './login-file.ts'
import { LoginEnded, renewed } from './renew.ts'
import { allOf } from './replaced.ts'
import { loginError } from './trouble.ts'
import { createUnderWay, HOLDS_MS } from './under-way.ts'
import { createUnwantedTokens } from './unwanted-tokens.ts'

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

/** A login that a person makes in a browser. */
export function createPersonLogin({ name, reach, file, back, log }: PersonLoginParts): McpLogin {
  const fetchFn = createLoginFetch(reach)
  const fetchGuarded = createGuardedFetch(reach)
  const serverUrl = new URL(reach.url)
  const how = `/mcp login ${name}`
  const underWay = createUnderWay(how)
  const keeper = createLoginKeeper(file, reach.url, name, log)
  const unwanted = createUnwantedTokens(keeper, fetchFn, name, log)
  /** With which token an answer was asked for. */
  const askedWith = new WeakMap<Response, string>()
  /** What we registered as last; undefined where that is what is kept. */
  let registered: StoredOAuthClientInformation | 'none' | undefined
  /** For more rights than there are. */
  let wantedScope: string | undefined
  let challenge: Challenge = {}
  let isWanted = false
  let renewing: Promise<void> | undefined

  /** Gets the next token. Rejects with `LoginError`. */
  async function renew(): Promise<void> {
    const login = await keeper.held()
    // Meanwhile somebody may have logged out, or in again.
    const isSame = (): boolean => keeper.now()?.tokens === login?.tokens
    try {
      if (!login) throw new LoginNeeded(`it wants a login: ${how}, or give it a token by token_env`)
      const tokens = await renewed(login, fetchFn, how)
      if (isSame()) await keeper.keep({ ...login, replaced: keeper.now()?.replaced, tokens })
      else await unwanted.giveUp(allOf({ ...login, replaced: [], tokens }))
    } catch (error) {
      // The newer login is as good for whoever waits.
      if (!isSame() && keeper.now()) return
      isWanted ||= error instanceof LoginNeeded
      if (error instanceof LoginEnded && isSame()) {
        registered = error.isClient ? 'none' : (registered ?? login?.client)
        const replaced = keeper.now()?.replaced ?? []
        await keeper.forget()
        void unwanted.giveBack(replaced)
      }
      throw error
    }
  }

  function newAttempt(giver: OAuthDiscoveryState | undefined, over: AbortSignal): Attempt {
    const to = reach.oauth?.redirectUrl ?? back()
    const known = registered === 'none' ? undefined : (registered ?? keeper.now()?.client)
    return createAttempt({
      reach,
      back: to,
      client: known && comesBackTo(known, to) ? known : undefined,
      giver,
      registered: (made) => void (registered = made),
      keep: (login) => (over.aborted ? unwanted.giveUp([login]) : unwanted.replaceBy(login)),
    })
  }

  async function exchange({ provider }: Attempt, answer: URLSearchParams): Promise<void> {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const transport = new StreamableHTTPClientTransport(serverUrl, { authProvider: provider, fetch: fetchFn })
    await transport.finishAuth(answer)
  }

  return {
    auth: {
      token: async () => (await keeper.held())?.tokens.access_token,
      async onUnauthorized({ response }) {
        const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
        challenge = extractWWWAuthenticateParams(response)
        await response.body?.cancel()
        // It may be there already.
        const asked = askedWith.get(response)
        const now = keeper.now()?.tokens.access_token
        if (asked !== undefined && now !== undefined && asked !== `Bearer ${now}`) return
        // A refresh token holds once: all that wait for the next one wait for the same.
        renewing ??= renew().finally(() => (renewing = undefined))
        await renewing
      },
    },
    answered(response, authorization) {
      if (response.status === 401) askedWith.set(response, authorization ?? '')
    },
    wants: (scope) => void (wantedScope = scope),
    state: () => (keeper.now() ? 'held' : isWanted ? 'wanted' : 'none'),
    masked: (text) => masked(text, [...keeper.secrets]),
    secrets: () => [...keeper.secrets],
    async begin() {
      if (!isPrivateWay(serverUrl))
        throw new LoginError(
          'its address has to begin with https:// for a login, so that nobody reads the token',
        )
      await keeper.held()
      const { auth } = await import('@modelcontextprotocol/client')
      const over = underWay.over()
      try {
        challenge = (await challengeOf(serverUrl, fetchGuarded)) ?? challenge
        const { resourceMetadataUrl } = challenge
        const next = newAttempt(await giverOf(serverUrl, challenge, fetchFn), over.signal)
        const scope = reach.oauth?.scopes?.join(' ') ?? withMore(keeper.now(), wantedScope ?? challenge.scope)
        await auth(next.provider, { serverUrl, resourceMetadataUrl, scope, fetchFn })
        const address = next.address()
        underWay.begin(next, over)
        return { address, back: String(next.provider.redirectUrl), holdsMs: HOLDS_MS }
      } catch (error) {
        throw loginError(error)
      }
    },
    isBegun: underWay.isBegun,
    isUnderWay: underWay.hasAny,
    async finish(answer) {
      const { attempt, over } = underWay.take(answer.get('state') ?? '')
      // A tool that still wants more says so again; what is wrong does not stay.
      wantedScope = undefined
      try {
        await underWay.exchange(over, exchange(attempt, answer))
      } catch (error) {
        throw loginError(error)
      }
      isWanted = false
    },
    async leave() {
      underWay.leave()
      wantedScope = undefined
      registered = (await keeper.held())?.client
      return await unwanted.leave()
    },
  }
}

/** What a login that is to allow more asks for: that, and what the one before allows. */
function withMore(before: KeptLogin | undefined, wanted: string | undefined): string | undefined {
  const had = before?.tokens.scope
  return wanted === undefined || had === undefined
    ? wanted
    : [...new Set(`${had} ${wanted}`.split(' '))].join(' ').trim()
}

/** Whether we said so when we registered. What an operator registered is their business. */
const comesBackTo = (client: StoredOAuthClientInformation, to: string): boolean =>
  !('redirect_uris' in client) || client.redirect_uris.includes(to)
