// Logins at servers that want one, by OAuth 2.1 as MCP has it (modelcontextprotocol.io, "Authorization"). The SDK speaks
// it; this keeps one login a server, and knows no room and no person.
import type { AuthProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import type { Log } from '../../chat/ports.ts'
import { aborted } from '../../lib/when-aborted.ts'
import { isPrivateWay, type McpByUrl } from './config.ts'
import { createAttempt, HOLDS_MS, type LoginAttempt } from './login-attempt.ts'
import {
  askForChallenge,
  createLoginFetch,
  LoginError,
  renewedTokens,
  revoke,
  toLoginError,
  whyFailed,
  type Challenge,
  type LoginFetch,
} from './login-fetch.ts'
import { createLoginStore, type LoginStore, type StoredLogin } from './login-store.ts'

/** The login at one server. */
export interface McpLogin {
  /** For the SDK's transports. It is no `OAuthClientProvider`: two 401s at once would refresh twice, and end the login. */
  readonly auth: AuthProvider
  /** A request with this `Authorization` got this answer. */
  answered(response: Response, authorization: string | null): void
  /** A request was refused because the login does not allow this. */
  wants(scope: string | undefined): void
  /** `wanted`: the server asked for one, and there is none. */
  state(): 'none' | 'wanted' | 'held'
  /** The tokens and keys that it has and had, the newest last; bounded in number. */
  secrets(): readonly string[]
  /** Begins one; the one that was begun before ends. Rejects with `LoginError`. */
  begin(): Promise<LoginStep>
  /** Whether this `state` is of the login that was begun last and is not over. */
  isBegun(state: string): boolean
  /** Whether one was begun and is not over, or its answer is being exchanged. */
  isUnderWay(): boolean
  /** Ends it with what the browser brought back. Rejects with `LoginError`, at once if it is ended meanwhile. */
  finish(answer: URLSearchParams): Promise<void>
  /**
   * Forgets it and the one under way, and has its tokens revoked once. Never rejects. Resolves to why they may still
   * hold, if they may.
   */
  logout(): Promise<string | undefined>
}

/** Where a person logs in. */
export interface LoginStep {
  /** To be opened in a browser. */
  readonly address: string
  /** Where the browser goes in the end. */
  readonly back: string
  /** How long that may take, in ms. */
  readonly holdsMs: number
}

/** Codes after which no token comes any more (RFC 6749, 5.2). */
const LOGIN_ENDED: readonly unknown[] = ['invalid_grant', 'invalid_client', 'unauthorized_client']

interface ServerLoginOptions {
  readonly name: string
  readonly reach: McpByUrl
  /** The file in which it is kept. */
  readonly file: string
  /** Where the browser goes in the end, unless the config says otherwise. */
  readonly back: () => string
  readonly log: Log
}

/** A login that a person makes in a browser. */
export class ServerLogin implements McpLogin {
  readonly auth: AuthProvider = {
    token: async () => (await this.store.read())?.tokens.access_token,
    onUnauthorized: ({ response }) => this.unauthorized(response),
  }
  private readonly reach: McpByUrl
  private readonly back: () => string
  private readonly store: LoginStore
  private readonly fetchFn: LoginFetch
  private readonly command: string
  private readonly usedToken = new WeakMap<Response, string>()
  /** What we are registered as, so that the next login needs no registration. */
  private client: StoredOAuthClientInformation | undefined
  private challenge: Challenge = {}
  private wantedScope: string | undefined
  private isWanted = false
  private renewing: Promise<void> | undefined
  private attempt: LoginAttempt | undefined

  constructor({ name, reach, file, back, log }: ServerLoginOptions) {
    this.reach = reach
    this.back = back
    this.command = `/mcp login ${name}`
    this.fetchFn = createLoginFetch(reach)
    this.store = createLoginStore(file, reach.url, (what, why) =>
      log.error(
        { server: name, file, why },
        `the file of a login could not be ${what}; /mcp login makes another`,
      ),
    )
  }

  answered(response: Response, authorization: string | null): void {
    if (response.status === 401) this.usedToken.set(response, authorization ?? '')
  }

  wants(scope: string | undefined): void {
    this.wantedScope = scope
  }

  state(): 'none' | 'wanted' | 'held' {
    return this.store.current() ? 'held' : this.isWanted ? 'wanted' : 'none'
  }

  secrets(): readonly string[] {
    return this.store.secrets()
  }

  private async unauthorized(response: Response): Promise<void> {
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
    this.challenge = extractWWWAuthenticateParams(response)
    await response.body?.cancel()
    const used = this.usedToken.get(response)
    const now = this.store.current()?.tokens.access_token
    if (used !== undefined && now !== undefined && used !== `Bearer ${now}`) return
    // A refresh token is good once, so all requests wait for the same renewal.
    this.renewing ??= this.renew().finally(() => (this.renewing = undefined))
    await this.renewing
  }

  private async renew(): Promise<void> {
    const before = await this.store.read()
    if (!before) {
      this.isWanted = true
      throw new LoginError(`it wants a login: ${this.command}, or give it a token by token_env`)
    }
    try {
      const tokens = await renewedTokens(before, this.fetchFn)
      await this.keep({ ...before, tokens }, this.store.current() === before)
    } catch (error) {
      const isCurrent = this.store.current() === before
      // A login that was made meanwhile is as good for who waits.
      if (!isCurrent && this.store.current()) return
      const why = whyFailed(error)
      const code = error instanceof LoginError ? error.code : undefined
      if (!LOGIN_ENDED.includes(code))
        throw new LoginError(`its login could not be renewed: ${why}`, { cause: error })
      if (isCurrent) {
        this.isWanted = true
        this.client = code === 'invalid_grant' ? before.client : undefined
        await this.store.write(undefined)
      }
      throw new LoginError(`its login has ended (${why}): ${this.command}`, { cause: error })
    }
  }

  /** Who logged out gets no tokens. Beside a newer login they are left: the issuer might revoke that with them. */
  private async keep(login: StoredLogin, isCurrent: boolean): Promise<void> {
    if (isCurrent) await this.store.write(login)
    else if (!this.store.current()) await revoke(login, this.fetchFn)
  }

  async begin(): Promise<LoginStep> {
    const { url, oauth } = this.reach
    const serverUrl = new URL(url)
    if (!isPrivateWay(serverUrl))
      throw new LoginError(
        'its address has to begin with https:// for a login, so that nobody reads the token',
      )
    const login = await this.store.read()
    const { auth, computeScopeUnion, discoverOAuthProtectedResourceMetadata } =
      await import('@modelcontextprotocol/client')
    const back = oauth?.redirectUrl ?? this.back()
    const known = this.client ?? login?.client
    const attempt: LoginAttempt = createAttempt(this.reach, back, known, {
      registered: (client) => void (this.client = client),
      made: (made) => this.keep(made, !attempt.ended.aborted),
    })
    try {
      this.challenge = (await askForChallenge(serverUrl, this.fetchFn)) ?? this.challenge
      const { resourceMetadataUrl, scope } = this.challenge
      // The SDK would take a broken answer there for none, and register at the server itself.
      if (resourceMetadataUrl)
        await discoverOAuthProtectedResourceMetadata(serverUrl, { resourceMetadataUrl }, this.fetchFn)
      const wanted = this.wantedScope ?? scope
      const more = wanted === undefined ? undefined : computeScopeUnion(login?.tokens.scope, wanted)
      await auth(attempt.provider, {
        ...{ serverUrl, resourceMetadataUrl, fetchFn: this.fetchFn },
        scope: oauth?.scopes?.join(' ') ?? more,
      })
      const address = attempt.address()
      this.attempt?.end('another login was begun meanwhile, and that one counts')
      this.attempt = attempt
      return { address, back, holdsMs: HOLDS_MS }
    } catch (error) {
      throw toLoginError(error)
    }
  }

  isBegun(state: string): boolean {
    return this.attempt?.isOpen() === true && this.attempt.isOf(state)
  }

  isUnderWay(): boolean {
    return this.attempt?.isUnderWay() === true
  }

  async finish(answer: URLSearchParams): Promise<void> {
    const { attempt } = this
    if (!attempt?.isOpen())
      throw new LoginError(`no login of it is under way, or it took too long: ${this.command} begins one`)
    if (!attempt.isOf(answer.get('state') ?? ''))
      throw new LoginError('that is no answer to the login that was begun last: give the whole address')
    attempt.answer()
    // A tool that still wants more says so again.
    this.wantedScope = undefined
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const transport = new StreamableHTTPClientTransport(new URL(this.reach.url), {
      authProvider: attempt.provider,
      fetch: this.fetchFn,
    })
    const ended = aborted(attempt.ended).then(() => attempt.ended.throwIfAborted())
    try {
      await Promise.race([transport.finishAuth(answer), ended])
      this.isWanted = false
    } catch (error) {
      throw toLoginError(error)
    } finally {
      if (this.attempt === attempt) this.attempt = undefined
    }
  }

  async logout(): Promise<string | undefined> {
    this.attempt?.end('somebody logged out or disconnected it meanwhile, so nothing of it is kept')
    this.attempt = undefined
    this.wantedScope = undefined
    const login = await this.store.read()
    if (!login) return undefined
    this.client = login.client
    await this.store.write(undefined)
    return await revoke(login, this.fetchFn)
  }
}
