import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createDeferred, type Deferred } from '../../../src/base/jobs/waiting.ts'
import { listenHere, sendJson } from '../listen.ts'
import { helloOf, type Message } from './http-server.ts'

/** An MCP server that answers nobody without a token, and whoever gives these, each at its own address. */
export type LoginServers = Awaited<ReturnType<typeof startLoginServers>>

type HeldAnswer = 'tokens' | 'revocation' | 'refusal'

interface Held {
  readonly made: Deferred<void>
  readonly free: Deferred<void>
}

export interface HeldTokens {
  readonly made: Promise<void>
  release(): void
}

/** `down`: errors of the server. `other`: it says it is another one. `echo`: refuses with all that it was sent. `only-post`: takes secrets in the form alone. `whole-grant`: takes all back at once that were given. */
export type Behaviour =
  | { readonly sendsOnTo: string }
  | 'only-post'
  | 'whole-grant'
  | 'well'
  | 'down'
  | 'other'
  | 'echo'
  | 'insecure'
  | 'garbage'
  | 'no-registration'

/** What a person does in a browser: opens the address, and agrees. Resolves with the address to which the browser is sent. */
export async function logInAt(address: string): Promise<string> {
  const response = await fetch(address, { redirect: 'manual' })
  if (response.status !== 302) throw new Error(`${response.status} ${await response.text()}`)
  return response.headers.get('location')!
}

/**
 * The client `robot` with the secret `r0b0t-secret` is known, and `known` and `closed`, which come back to chat.example.org; that
 * has the secret `cl0sed-secret`.
 */
export async function startLoginServers() {
  const asked: string[] = []
  const given = new Set<string>()
  const scopes: (string | null)[] = []
  const access = new Map<string, { readonly scope: string; readonly grant: string }>()
  const refresh = new Map<
    string,
    { readonly client: string; readonly scope: string; readonly grant: string }
  >()
  const clients = new Map<string, { readonly redirects: readonly string[]; readonly secret?: string }>([
    ['robot', { redirects: [], secret: 'r0b0t-secret' }],
    ['closed', { redirects: ['https://chat.example.org/oauth/callback'], secret: 'cl0sed-secret' }],
    ['known', { redirects: ['https://chat.example.org/oauth/callback'] }],
  ])
  const codes = new Map<string, Readonly<Record<string, string | null>>>()
  let how: Behaviour = 'well'
  const held: Partial<Record<HeldAnswer, Held>> = {}
  /** The next of these answers waits, if a test wants so. */
  async function heldUp(what: keyof typeof held): Promise<void> {
    const waits = held[what]
    delete held[what]
    waits?.made.resolve()
    await waits?.free.promise
  }
  const token = (): string => {
    const made = randomBytes(24).toString('hex')
    given.add(made)
    return made
  }

  const giver = await listen(async (request, response) => {
    const url = new URL(request.url ?? '', giver.origin)
    if (url.pathname.startsWith('/.well-known/')) return sendJson(response, 200, metadata())
    const name = url.pathname.slice(1)
    const body = await text(request)
    if (name === 'authorize') return authorize(url.searchParams, response)
    const form = new URLSearchParams(body)
    asked.push([name, form.get('grant_type')].filter(Boolean).join(' '))
    if (typeof how === 'object') return void response.writeHead(307, { location: how.sendsOnTo }).end()
    if (how === 'down') return void response.writeHead(503).end('sorry')
    if (how === 'echo')
      return sendJson(response, 400, { error: 'invalid_grant', error_description: `no: ${body}\u001b[31m` })
    if (name === 'register') return register(JSON.parse(body) as { redirect_uris: string[] }, response)
    if (name === 'revoke') {
      if (clientOf(form, request) === undefined) return sendJson(response, 401, { error: 'invalid_client' })
      revoke(form.get('token') ?? '')
      await heldUp('revocation')
      return sendJson(response, 200, {})
    }
    await grant(form, request, response)
  })

  /** All that came of the same login ends with it. */
  function revoke(given: string): void {
    const grant = (refresh.get(given) ?? access.get(given))?.grant
    for (const tokens of [refresh, access])
      for (const [one, of] of tokens)
        if (of.grant === grant || (how === 'whole-grant' && grant !== undefined)) tokens.delete(one)
  }

  /** Who asks, with their secret where they have one, in the one way that is taken. */
  function clientOf(form: URLSearchParams, { headers }: IncomingMessage): string | undefined {
    const [, basic = ''] = (headers.authorization ?? '').split('Basic ')
    const [name = '', secret] =
      how === 'only-post' || basic === ''
        ? [form.get('client_id') ?? '', how === 'only-post' ? form.get('client_secret') : undefined]
        : Buffer.from(basic, 'base64').toString().split(':')
    const client = clients.get(name)
    return client && client.secret === (secret ?? undefined) ? name : undefined
  }

  const metadata = (): object =>
    how === 'garbage'
      ? { issuer: 7 }
      : {
          issuer: how === 'other' ? 'https://other.example.org' : giver.origin,
          authorization_endpoint:
            how === 'insecure' ? 'http://login.example.org/authorize' : `${giver.origin}/authorize`,
          token_endpoint: `${giver.origin}/token`,
          ...(how === 'no-registration' ? {} : { registration_endpoint: `${giver.origin}/register` }),
          revocation_endpoint: `${giver.origin}/revoke`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
          token_endpoint_auth_methods_supported:
            how === 'only-post' ? ['client_secret_post'] : ['none', 'client_secret_basic'],
        }

  function register({ redirect_uris }: { redirect_uris: string[] }, response: ServerResponse): void {
    const client_id = `client-${clients.size}`
    clients.set(client_id, { redirects: redirect_uris })
    sendJson(response, 201, { client_id, redirect_uris, token_endpoint_auth_method: 'none' })
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    asked.push('authorize')
    const back = query.get('redirect_uri') ?? ''
    const known = clients.get(query.get('client_id') ?? '')?.redirects.includes(back)
    if (!known || query.get('code_challenge_method') !== 'S256' || query.get('resource') !== resource.url)
      return void response.writeHead(400).end('no such client, no PKCE, or not for this server')
    const code = randomBytes(8).toString('hex')
    scopes.push(query.get('scope'))
    codes.set(code, Object.fromEntries(query))
    const to = new URL(back)
    to.search = String(new URLSearchParams({ code, state: query.get('state') ?? '', iss: giver.origin }))
    response.writeHead(302, { location: to.href }).end()
  }

  async function grant(
    form: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const refuse = (error: string): void =>
      sendJson(response, 400, { error, error_description: 'not that one' })
    const kind = form.get('grant_type')
    if (kind === 'client_credentials') {
      const sent = request.headers.authorization
      if (sent !== `Basic ${Buffer.from('robot:r0b0t-secret').toString('base64')}`)
        return refuse('invalid_client')
      return give('robot', { scope: form.get('scope') ?? '' }, response)
    }
    const client = clientOf(form, request)
    if (client === undefined) return refuse('invalid_client')
    if (kind === 'refresh_token') {
      const old = refresh.get(form.get('refresh_token') ?? '')
      if (old?.client !== client) {
        await heldUp('refusal')
        return refuse('invalid_grant')
      }
      refresh.delete(form.get('refresh_token') ?? '')
      return give(client, old, response)
    }
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const fits =
      code?.['client_id'] === client &&
      code['code_challenge'] === challenge &&
      code['redirect_uri'] === form.get('redirect_uri') &&
      form.get('resource') === resource.url
    if (!fits) return refuse('invalid_grant')
    await give(client, { scope: code['scope'] ?? '' }, response)
  }

  async function give(
    client: string,
    { scope, grant = randomBytes(8).toString('hex') }: { readonly scope: string; readonly grant?: string },
    response: ServerResponse,
  ): Promise<void> {
    const [access_token, refresh_token] = [token(), token()]
    access.set(access_token, { scope, grant })
    refresh.set(refresh_token, { client, scope, grant })
    await heldUp('tokens')
    sendJson(response, 200, { access_token, token_type: 'Bearer', expires_in: 3600, scope, refresh_token })
  }

  const server = await listen(async (request, response) => {
    const { url = '', method, headers } = request
    if (url.startsWith('/.well-known/oauth-protected-resource'))
      return described ? sendJson(response, 200, described) : void response.writeHead(404).end()
    const body = await text(request)
    const sent = (headers.authorization ?? '').replace('Bearer ', '')
    const holder = access.get(sent)
    const challenge = `Bearer ${metadataUrl === undefined ? 'realm="far"' : `resource_metadata="${metadataUrl}"`}`
    if (!holder) return void response.writeHead(401, { 'www-authenticate': challenge }).end('who are you?')
    if (method !== 'POST') return void response.writeHead(405).end()
    const { id, method: asks, params } = JSON.parse(body) as Message
    const { name = '' } = params ?? {}
    if (['admin', 'audit'].includes(name) && !holder.scope.includes(name))
      return void response
        .writeHead(403, {
          'www-authenticate': `Bearer error="insufficient_scope", scope="${name}", ${challenge.slice(7)}`,
        })
        .end()
    if (id === undefined) return void response.writeHead(202).end()
    const results: Readonly<Record<string, object>> = {
      initialize: helloOf('login', params),
      'tools/list': {
        tools: ['echo', 'token', 'admin', 'audit'].map((one) => ({
          name: one,
          description: `${one} for ${sent}`,
          inputSchema: { type: 'object' },
        })),
      },
      'tools/call': { content: [{ type: 'text', text: name === 'token' ? sent : 'done' }] },
    }
    sendJson(response, 200, { jsonrpc: '2.0', id, result: results[asks] ?? {} })
  })
  const resource = { url: `${server.origin}/mcp` }
  let metadataUrl: string | undefined = `${server.origin}/.well-known/oauth-protected-resource/mcp`
  let described: object | undefined = { resource: resource.url, authorization_servers: [giver.origin] }

  return {
    /** Of the MCP server, with the tools `echo`, `token` (says what it was sent), `admin` and `audit` (want scopes of their names). */
    url: resource.url,
    issuer: giver.origin,
    /** What came to whoever gives the tokens: `register`, `authorize`, `token refresh_token`, `revoke`. */
    asked,
    given,
    /** Scopes of the logins, as they were asked for. */
    scopes,
    /** The access tokens end; what renews them holds. */
    expire: () => access.clear(),
    /** All tokens end. */
    revokeAll() {
      access.clear()
      refresh.clear()
    },
    /** From now on: how the giver of tokens answers where it should not. */
    behave: (next: Behaviour) => void (how = next),
    /** The server says from now on that this tells who gives tokens for it; undefined: it says nothing of that. */
    challenge: (next: string | undefined) => void (metadataUrl = next),
    /** What it says of its login from now on; undefined: nothing is there. */
    describe: (next: object | undefined) => void (described = next),
    /** The next answer with tokens waits, or that to a revocation, which is done all the same; or a renewal that is refused. */
    hold(what: HeldAnswer = 'tokens'): HeldTokens {
      const [made, free] = [createDeferred<void>(), createDeferred<void>()]
      held[what] = { made, free }
      return { made: made.promise, release: free.resolve }
    },
    hasLive: (): boolean => access.size + refresh.size > 0,
    /** How many can be renewed. */
    logins: (): number => refresh.size,
    async [Symbol.asyncDispose]() {
      await giver[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const listen = (handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>) =>
  listenHere(createServer((request, response) => void handle(request, response)))
