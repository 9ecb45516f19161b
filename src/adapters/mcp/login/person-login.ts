import { once } from 'node:events'
import type { OAuthDiscoveryState, StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import type { Log } from '../../../chat/ports.ts'
import { masked } from '../secrets.ts'
import { isPrivateWay, type McpByUrl } from '../config.ts'
import { createAttempt, type Attempt } from './attempt.ts'
import { LoginError, LoginNeeded, type Challenge, type McpLogin } from './login.ts'
import { challengeOf, giverOf } from './giver.ts'
import { createLoginKeeper } from './keeper.ts'
import { createGuardedFetch, createLoginFetch } from './login-fetch.ts'
import type { KeptLogin } from './login-file.ts'
import { LoginEnded, renewed } from './renew.ts'
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

/** A login that a person makes in a browser. */
export function createPersonLogin({ name, reach, file, back, log }: PersonLoginParts): McpLogin {
  const fetchFn = createLoginFetch(reach)
  const fetchGuarded = createGuardedFetch(reach)
  const serverUrl = new URL(reach.url)
  const how = `/mcp login ${name}`
  const keeper = createLoginKeeper(file, reach.url, name, log)
  /** With which token an answer was asked for. */
  const askedWith = new WeakMap<Response, string>()
  /** What we registered as last; undefined where that is what is kept. */
  let registered: StoredOAuthClientInformation | 'none' | undefined
  let begun: BegunAttempt | undefined
  let exchanging = 0
  /** Aborted when somebody leaves: what was begun before counts no more. */
  let leaving = new AbortController()
  /** For more rights than there are. */
  let wantedScope: string | undefined
  let challenge: Challenge = {}
  let isWanted = false
  let renewing: Promise<void> | undefined

  /** Gets the next token. Rejects with `LoginError`. */
  async function renew(): Promise<void> {
    const login = await keeper.held()
    // Meanwhile somebody may have logged out, or in again.
    const isSame = (): boolean => keeper.now() === login
    try {
      if (!login) throw new LoginNeeded(`it wants a login: ${how}, or give it a token by token_env`)
      const tokens = await renewed(login, fetchFn, how)
      if (isSame()) await keeper.keep({ ...login, tokens })
      else if (!keeper.now()) await giveBack({ ...login, tokens })
    } catch (error) {
      isWanted ||= error instanceof LoginNeeded
      if (error instanceof LoginEnded && isSame()) {
        registered = error.isClient ? 'none' : (registered ?? login?.client)
        await keeper.forget()
      }
      throw error
    }
  }

  /** Nobody wants these tokens any more. */
  async function giveBack(login: KeptLogin): Promise<void> {
    const why = await revoke(login, fetchFn)
    log.info({ server: name, why }, 'tokens came after the login at an MCP server was forgotten; not kept')
  }

  function newAttempt(giver: OAuthDiscoveryState | undefined, left: AbortSignal): Attempt {
    const to = reach.oauth?.redirectUrl ?? back()
    const known = registered === 'none' ? undefined : (registered ?? keeper.now()?.client)
    return createAttempt({
      reach,
      back: to,
      client: known && comesBackTo(known, to) ? known : undefined,
      giver,
      registered: (made) => void (registered = made),
      keep: (login) => (left.aborted ? giveBack(login) : keeper.keep(login)),
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
    async begin() {
      if (!isPrivateWay(serverUrl))
        throw new LoginError(
          'its address has to begin with https:// for a login, so that nobody reads the token',
        )
      await keeper.held()
      const { auth } = await import('@modelcontextprotocol/client')
      const { signal: left } = leaving
      try {
        challenge = (await challengeOf(serverUrl, fetchGuarded)) ?? challenge
        const { resourceMetadataUrl } = challenge
        const next = newAttempt(await giverOf(serverUrl, challenge, fetchFn), left)
        const scope = reach.oauth?.scopes?.join(' ') ?? withMore(keeper.now(), wantedScope ?? challenge.scope)
        await auth(next.provider, { serverUrl, resourceMetadataUrl, scope, fetchFn })
        const address = next.address()
        if (left.aborted) throw new LoginError(LEFT)
        begun = { attempt: next, until: performance.now() + HOLDS_MS, left }
        return { address, back: String(next.provider.redirectUrl), holdsMs: HOLDS_MS }
      } catch (error) {
        throw loginError(error)
      }
    },
    isBegun: (state) => isLive(begun) && begun.attempt.isOf(state),
    isUnderWay: () => exchanging > 0 || isLive(begun),
    async finish(answer) {
      if (!isLive(begun))
        throw new LoginError(`no login of it is under way, or it took too long: ${how} begins one`)
      const { attempt, left } = begun
      if (!attempt.isOf(answer.get('state') ?? ''))
        throw new LoginError('that is no answer to the login that was begun last: give the whole address')
      begun = undefined
      exchanging++
      try {
        await unlessLeft(left, exchange(attempt, answer))
      } catch (error) {
        throw loginError(error)
      } finally {
        exchanging--
      }
      isWanted = false
      wantedScope = undefined
    },
    async leave() {
      begun = undefined
      leaving.abort()
      leaving = new AbortController()
      const login = await keeper.held()
      registered = login?.client
      await keeper.forget()
      return login && (await revoke(login, fetchFn))
    },
  }
}

/** A login that is under way. */
interface BegunAttempt {
  readonly attempt: Attempt
  /** As `performance.now()`. */
  readonly until: number
  /** Aborted when somebody leaves. */
  readonly left: AbortSignal
}

const isLive = (begun: BegunAttempt | undefined): begun is BegunAttempt =>
  begun !== undefined && begun.until > performance.now()

const LEFT = 'somebody logged out or disconnected it meanwhile, so nothing of it is kept'

/** As the work, but whoever waits for it has an answer at once when somebody leaves. */
async function unlessLeft(left: AbortSignal, work: Promise<void>): Promise<void> {
  const over = new AbortController()
  const ended = once(left, 'abort', { signal: over.signal }).then(() => {
    throw new LoginError(LEFT)
  })
  try {
    await Promise.race([work, ended])
  } finally {
    over.abort()
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
