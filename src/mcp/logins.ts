// Logins at servers by OAuth 2.1, as MCP defines it (modelcontextprotocol.io, "Authorization"). The SDK
// speaks the protocol; this file keeps one login for each server. Knows no room and no person.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { AuthProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client'
import type { Log } from '../base/environment.ts'
import { errorCode, errorMessage } from '../base/errors.ts'
import { aborted } from '../base/jobs/waiting.ts'
import { isMcpName, isPrivateWay, type McpByUrl, type McpServerConfig } from './config.ts'
import { createAttempt, LOGIN_MS, type LoginAttempt } from './login-attempt.ts'
import {
  askForChallenge,
  createLoginFetch,
  logInAlone,
  LoginError,
  renewTokens,
  revoke,
  toLoginError,
  whyFailed,
  type Challenge,
  type LoginFetch,
} from './login-fetch.ts'
import { LoginStore, readLogin, type StoredLogin } from './login-store.ts'

interface LoginsOptions {
  readonly dir: string
  readonly back: () => string
  readonly log: Log
}

export type McpLogins = ReturnType<typeof createMcpLogins>

export function createMcpLogins(options: LoginsOptions) {
  const made = new Map<string, ServerLogin>()
  const fileOf = (name: string): string => join(options.dir, `${name}.json`)
  return {
    /** Returns the same object until the server changes; undefined for a program or a server with a token. */
    of({ name, reach }: Pick<McpServerConfig, 'name' | 'reach'>): ServerLogin | undefined {
      if ('command' in reach) return undefined
      const headers = Object.keys(reach.headers ?? {})
      if (headers.some((header) => header.toLowerCase() === 'authorization')) return undefined
      const before = made.get(name)
      if (before && isDeepStrictEqual(before.reach, reach)) return before
      const login = new ServerLogin(name, reach, fileOf(name), options)
      made.set(name, login)
      return login
    },

    begunWith: (state: string) => [...made].find(([, login]) => login.isBegun(state))?.[0],

    /**
     * Deletes the stored login of a name, for any server. Never rejects. Resolves to undefined if there is
     * none; `why` is the reason if its tokens may still be valid.
     */
    async forget(name: string): Promise<{ readonly why?: string | undefined } | undefined> {
      if (!isMcpName(name)) return undefined
      const file = fileOf(name)
      const kept = await readLogin(file).catch(() => 'damaged' as const)
      const why = await made.get(name)?.logout()
      if (kept === undefined) return undefined
      try {
        await rm(file)
      } catch (error) {
        const isGone = errorCode(error) === 'ENOENT'
        return { why: isGone ? why : `its file cannot be removed: ${errorMessage(error)}` }
      }
      if (kept === 'damaged')
        return { why: 'its file was damaged, so its tokens are valid until they expire' }
      return { why: await revoke(kept, createLoginFetch({ url: kept.url })) }
    },
  }
}

/** Codes after which no token can be renewed (RFC 6749, 5.2). */
const LOGIN_ENDED: readonly unknown[] = ['invalid_grant', 'invalid_client', 'unauthorized_client']

const BY_ITSELF = 'it logs in by itself, with the secret that the config names (grant = "client_credentials")'

/** The login at one server. With `client_credentials`, sshawl logs in itself and stores nothing. */
export class ServerLogin {
  /** For the SDK's transports: with an `OAuthClientProvider`, two 401s at once would refresh twice. */
  readonly auth: AuthProvider = {
    token: async () => (await this.#store.read(this.reach.url))?.tokens.access_token,
    onUnauthorized: ({ response }) => this.#unauthorized(response),
  }
  readonly reach: McpByUrl
  readonly #back: () => string
  readonly #isOwn: boolean
  readonly #store: LoginStore
  readonly #fetchFn: LoginFetch
  readonly #command: string
  readonly #usedToken = new WeakMap<Response, string>()
  /** sshawl's registration, which the next login reuses. */
  #client: StoredOAuthClientInformation | undefined
  #challenge: Challenge = {}
  #wantedScope: string | undefined
  #isWanted = false
  #renewing: Promise<void> | undefined
  #attempt: LoginAttempt | undefined

  constructor(name: string, reach: McpByUrl, file: string, { back, log }: LoginsOptions) {
    this.reach = reach
    this.#back = back
    this.#isOwn = reach.oauth?.grant === 'client_credentials'
    this.#command = `/mcp login ${name}`
    this.#fetchFn = createLoginFetch(reach)
    this.#store = new LoginStore(this.#isOwn ? undefined : file, (what, why) =>
      log.error(
        { server: name, file, why },
        `the file of a login could not be ${what}; /mcp login makes another`,
      ),
    )
  }

  /** Must be called with each answer, and the `Authorization` of its request. */
  answered(response: Response, authorization: string | null): void {
    if (response.status === 401) this.#usedToken.set(response, authorization ?? '')
  }

  /** Makes the next login ask for this scope, because a tool was refused without it. */
  wants(scope: string | undefined): void {
    this.#wantedScope = scope
  }

  /** `wanted`: the server asked for a login, and there is none. */
  state(): 'none' | 'wanted' | 'held' {
    return this.#store.current ? 'held' : this.#isWanted ? 'wanted' : 'none'
  }

  secrets(): readonly string[] {
    return [this.reach.oauth?.clientSecret ?? '', ...this.#store.secrets]
  }

  async #unauthorized(response: Response): Promise<void> {
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
    this.#challenge = extractWWWAuthenticateParams(response)
    await response.body?.cancel()
    const used = this.#usedToken.get(response)
    const now = this.#store.current?.tokens.access_token
    if (used !== undefined && now !== undefined && used !== `Bearer ${now}`) return
    // A refresh token works once, so all requests wait for the same renewal.
    const renewal = this.#isOwn ? () => this.#renewOwn() : () => this.#renew()
    this.#renewing ??= renewal().finally(() => (this.#renewing = undefined))
    await this.#renewing
  }

  async #renewOwn(): Promise<void> {
    const challenge = { ...this.#challenge, scope: this.#wantedScope ?? this.#challenge.scope }
    await this.#store.write(await logInAlone(this.reach, challenge, this.#fetchFn))
  }

  async #renew(): Promise<void> {
    const before = await this.#store.read(this.reach.url)
    if (!before) {
      this.#isWanted = true
      throw new LoginError(`it wants a login: ${this.#command}, or give it a token by token_env`)
    }
    try {
      const tokens = await renewTokens(before, this.#fetchFn)
      await this.#keep({ ...before, tokens }, this.#store.current === before)
    } catch (error) {
      const isCurrent = this.#store.current === before
      // A login made meanwhile also serves the waiting requests.
      if (!isCurrent && this.#store.current) return
      const why = whyFailed(error)
      const code = error instanceof LoginError ? error.code : undefined
      if (!LOGIN_ENDED.includes(code))
        throw new LoginError(`its login could not be renewed: ${why}`, { cause: error })
      if (isCurrent) {
        this.#isWanted = true
        this.#client = code === 'invalid_grant' ? before.client : undefined
        await this.#store.write(undefined)
      }
      throw new LoginError(`its login has ended (${why}): ${this.#command}`, { cause: error })
    }
  }

  /** Stores a login. After a logout, revokes its tokens, unless that might also revoke a newer login. */
  async #keep(login: StoredLogin, isCurrent: boolean): Promise<void> {
    if (isCurrent) await this.#store.write(login)
    else if (!this.#store.current) await revoke(login, this.#fetchFn)
  }

  /**
   * Begins a login and ends an earlier one. The person opens `address`; finally the browser is sent to
   * `back`. Rejects with `LoginError`.
   */
  async begin() {
    const { url, oauth } = this.reach
    if (this.#isOwn) throw new LoginError(BY_ITSELF)
    const serverUrl = new URL(url)
    if (!isPrivateWay(serverUrl))
      throw new LoginError(
        'its address has to begin with https:// for a login, so that nobody reads the token',
      )
    const login = await this.#store.read(url)
    const { auth, computeScopeUnion, discoverOAuthProtectedResourceMetadata } =
      await import('@modelcontextprotocol/client')
    const back = oauth?.redirectUrl ?? this.#back()
    const attempt: LoginAttempt = createAttempt(this.reach, back, this.#client ?? login?.client, {
      registered: (client) => void (this.#client = client),
      made: (made) => this.#keep(made, !attempt.ended.aborted),
    })
    try {
      this.#challenge = (await askForChallenge(serverUrl, this.#fetchFn)) ?? this.#challenge
      const { resourceMetadataUrl, scope } = this.#challenge
      // The SDK would treat an invalid answer as missing, and register at the server itself.
      if (resourceMetadataUrl)
        await discoverOAuthProtectedResourceMetadata(serverUrl, { resourceMetadataUrl }, this.#fetchFn)
      const wanted = this.#wantedScope ?? scope
      const more = wanted === undefined ? undefined : computeScopeUnion(login?.tokens.scope, wanted)
      await auth(attempt.provider, {
        serverUrl,
        resourceMetadataUrl,
        fetchFn: this.#fetchFn,
        scope: oauth?.scopes?.join(' ') ?? more,
      })
      const address = attempt.address()
      this.#attempt?.end('a newer login has replaced this one')
      this.#attempt = attempt
      return { address, back, holdsMs: LOGIN_MS }
    } catch (error) {
      throw toLoginError(error)
    }
  }

  /** True if the login with this `state` was begun last and may still be answered. */
  isBegun(state: string): boolean {
    return this.#attempt?.isOpen() === true && this.#attempt.isOf(state)
  }

  isUnderWay(): boolean {
    return this.#attempt?.isUnderWay() === true
  }

  /** Completes the login with the browser's answer. Rejects with `LoginError`, at once if it is ended. */
  async finish(answer: URLSearchParams): Promise<void> {
    const attempt = this.#attempt
    if (!attempt?.isOpen())
      throw new LoginError(`no login of it is under way, or it took too long: ${this.#command} begins one`)
    if (!attempt.isOf(answer.get('state') ?? ''))
      throw new LoginError('this address does not belong to the latest login: give the whole address')
    attempt.answer()
    // A tool that still needs more scope will ask again.
    this.#wantedScope = undefined
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const transport = new StreamableHTTPClientTransport(new URL(this.reach.url), {
      authProvider: attempt.provider,
      fetch: this.#fetchFn,
    })
    const ended = aborted(attempt.ended).then(() => attempt.ended.throwIfAborted())
    try {
      await Promise.race([transport.finishAuth(answer), ended])
      this.#isWanted = false
    } catch (error) {
      throw toLoginError(error)
    } finally {
      if (this.#attempt === attempt) this.#attempt = undefined
    }
  }

  /** Ends the login, even a pending one. Never rejects. Resolves to why its tokens may still be valid. */
  async logout(): Promise<string | undefined> {
    this.#attempt?.end(
      'somebody logged out or disconnected the server meanwhile, so the login was not stored',
    )
    this.#attempt = undefined
    this.#wantedScope = undefined
    const login = await this.#store.read(this.reach.url)
    if (!login) return undefined
    this.#client = login.client
    await this.#store.write(undefined)
    return this.#isOwn ? BY_ITSELF : await revoke(login, this.#fetchFn)
  }
}
