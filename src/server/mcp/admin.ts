import type { McpServer, McpServers } from '../../mcp/client/index.ts'
import {
  namesakeRule,
  type McpServerConfig,
  LoginError,
  type McpLogins,
  type ServerLogin,
  displayTarget,
} from '../../mcp/index.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { BegunLogin, ListedMcp, McpAdmin, McpOrder } from '../../commands/index.ts'
import { connectedMcp } from '../config/mcp.ts'
import type { Clock, Log } from '../../base/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { closest } from '../../base/suggest.ts'
import type { ConnectedMcp, ConnectedMcpStore, ToolSource } from '../../tools/index.ts'
import { answerIn, toMcpConfigEntry } from './order.ts'

interface McpParts {
  readonly servers: McpServers
  readonly store: ConnectedMcpStore
  readonly configured: () => readonly McpServerConfig[]
  readonly logins: McpLogins
  isTaken(name: string): boolean
  tellAdmins(text: string): void
  readonly clock: Clock
  readonly log: Log
}

export class Mcp implements McpAdmin, AsyncDisposable {
  /** The port of the redirect URI of logins. */
  port = 2223
  readonly #parts: McpParts
  readonly #connected: Map<string, ConnectedMcp>
  /** Servers that have not answered yet. Servers that answer are kept. */
  readonly #tried = new Map<string, ConnectedMcp>()

  constructor(parts: McpParts, stored: readonly ConnectedMcp[]) {
    this.#parts = parts
    this.#connected = new Map(stored.map((one) => [one.name, one]))
  }

  // An arrow function, because it is called without its object.
  readonly list = (): readonly ListedMcp[] => this.#parts.servers.all().map((one) => this.#describe(one))

  sources(): readonly ToolSource[] {
    return this.#parts.servers.all()
  }

  /** Connects to the servers of the config and of admins. Never rejects. */
  async follow(): Promise<void> {
    const { servers, configured, log } = this.#parts
    const others = [...this.#connected.values(), ...this.#tried.values()]
    const kept = others.filter(({ name }) => !this.#isConfigured(name))
    await servers.follow([...configured(), ...kept.flatMap((one) => configOf(one, log))])
  }

  /**
   * Reads these servers, or all, after a change by another server of the cluster. Rejects with
   * `StorageError`.
   */
  async readAgain(names?: readonly string[]): Promise<void> {
    const { store, logins } = this.#parts
    const now = new Map((await store.all()).map((one) => [one.name, one]))
    for (const name of names ?? [...this.#connected.keys(), ...now.keys()]) {
      const one = now.get(name)
      if (one) this.#connected.set(name, one)
      else if (this.#connected.delete(name)) await logins.forget(name)
    }
    await this.follow()
  }

  /** Refreshes these servers after an approval at another server of the cluster. Never rejects. */
  async approvedElsewhere(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const server = this.#parts.servers.find(name)
      if (server?.state().kind !== 'up') continue
      await server.refresh().catch((error: unknown) => {
        this.#parts.log.warn({ error, server: name }, 'could not refresh an MCP server')
      })
    }
  }

  async connect(order: McpOrder, by: Person) {
    const { logins, store, clock, log } = this.#parts
    const { name } = order
    this.#refuseName(name)
    const one = { name, entry: JSON.stringify(toMcpConfigEntry(order)), by: by.name, at: clock.now() }
    this.#tried.set(name, one)
    try {
      // The login of an earlier server with this name must not be used.
      const left = await logins.forget(name)
      if (left) log.info({ server: name, ...left }, "removed an older login with a new MCP server's name")
      await this.follow()
      const server = this.#find(name)
      await server.tried
      const login = server.state().kind === 'up' ? undefined : await this.#loginInstead(server)
      await store.put(one)
      this.#connected.set(name, one)
      log.info({ server: name, by: by.name }, 'an MCP server was connected by a command')
      return { server: this.#describe(server), ...(login ? { login } : {}) }
    } finally {
      this.#tried.delete(name)
      await this.follow()
    }
  }

  async disconnect(name: string, by: Person): Promise<void> {
    const { store, logins, log } = this.#parts
    if (this.#isConfigured(name))
      throw new Refusal(`${name} stands in the config: take it out of [[mcp]] there, then sshawl reload`)
    if (!this.#connected.has(name)) {
      this.#find(name)
      throw new Refusal(`${name} is being connected; wait until that is done`)
    }
    await store.remove(name)
    this.#connected.delete(name)
    await this.follow()
    // Done last: the tokens' issuer may be slow, and the name is free meanwhile.
    await logins.forget(name)
    log.info({ server: name, by: by.name }, 'an MCP server was disconnected by a command')
  }

  async refresh(name: string): Promise<ListedMcp> {
    const server = this.#find(name)
    await server.refresh().catch((error: unknown) => {
      throw new Refusal(`${name} could not be read again: ${errorMessage(error)}`)
    })
    return this.#describe(server)
  }

  async review(name: string, approve: boolean, by: Person) {
    const server = this.#find(name)
    if (server.state().kind !== 'up')
      throw new Refusal(`${name} is not connected now; what it changed is known when it is`)
    const changed = await server.review(approve)
    const tools = changed.map(({ id }) => id)
    if (approve && tools.length > 0)
      this.#parts.log.info(
        { server: name, by: by.name, tools },
        'changed tools of an MCP server were approved',
      )
    return changed
  }

  async login(name: string, by: Person): Promise<BegunLogin> {
    const begun = await refusing(name, this.#loginOf(this.#find(name)).begin())
    this.#parts.log.info({ server: name, by: by.name }, 'a login at an MCP server was begun')
    return begun
  }

  async finishLogin(name: string, address: string, by: Person): Promise<ListedMcp> {
    const server = await this.#finish(this.#find(name), answerIn(address))
    this.#parts.log.info({ server: name, by: by.name }, 'a login at an MCP server was made')
    return server
  }

  async logout(name: string, by: Person) {
    const { servers, logins, log } = this.#parts
    const server = servers.find(name)
    const login = server && logins.of(server.config)
    const isHeld = login?.state() === 'held'
    const was = !isHeld && login?.isUnderWay() ? ('begun' as const) : ('held' as const)
    // An earlier server with this name may have left a file.
    const left =
      login && (isHeld || was === 'begun') ? { why: await login.logout() } : await logins.forget(name)
    if (!left) {
      this.#loginOf(this.#find(name))
      throw new Refusal(`nobody is logged in at ${name}`)
    }
    log.info({ server: name, by: by.name }, 'a login at an MCP server was forgotten')
    // Makes the server refuse us at once, so that rooms get a notice.
    await server?.refresh().catch(() => undefined)
    return { was, ...left }
  }

  /** Finishes an OAuth login. `answer` is a secret of its person. Never rejects. */
  async handleLoginRedirect(
    answer: URLSearchParams,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { logins, tellAdmins, log } = this.#parts
    const name = logins.begunWith(answer.get('state') ?? '')
    if (name === undefined) return { status: 400, text: UNKNOWN }
    try {
      const { state, why } = await this.#finish(this.#find(name), answer)
      const text = `${name} is logged in, and it is ${state}${why === null ? '' : ` (${why})`}`
      log.info({ server: name }, 'a login at an MCP server was made in a browser')
      tellAdmins(`the MCP server ${text}`)
      return { status: 200, text: `${text}; this page can be closed` }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: 400, text: error.message }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.servers[Symbol.asyncDispose]()
  }

  #isConfigured(name: string): boolean {
    return this.#parts.configured().some((one) => one.name === name)
  }

  #find(name: string): McpServer {
    const { servers } = this.#parts
    const server = servers.find(name)
    if (server) return server
    const names = servers.all().map((one) => one.name)
    const near = closest(name, names)
    const hint = near === undefined ? '/mcp list shows all' : `did you mean ${near}?`
    throw new Refusal(`there is no MCP server called ${name.slice(0, 40)}; ${hint}`)
  }

  #describe(server: McpServer): ListedMcp {
    const { name, config } = server
    const state = server.state()
    const login = this.#parts.logins.of(config)?.state() ?? 'none'
    return {
      name,
      state: state.kind,
      why: state.kind === 'down' ? state.why : null,
      tools: {
        offered: server.tools().length,
        withheld: server.withheld(),
        leftOut: state.kind === 'up' ? state.leftOut : [],
      },
      trust: config.trust,
      at: displayTarget(config.reach),
      by: this.#isConfigured(name) ? null : (this.#connected.get(name)?.by ?? null),
      login: login === 'none' ? null : login,
    }
  }

  #refuseName(name: string): void {
    const { servers, isTaken } = this.#parts
    if (servers.find(name) || this.#connected.has(name) || this.#tried.has(name))
      throw new Refusal(
        `there is an MCP server called ${name} already; disconnect it first, or take another name`,
      )
    const ofServers = servers.all().flatMap((one) => one.tools().map(({ id }) => id.toLowerCase()))
    if (isTaken(name) || ofServers.includes(name))
      throw new Refusal(`${name} is no name for a server: ${namesakeRule(name)}`)
  }

  #loginOf({ name, config }: McpServer): ServerLogin {
    const login = this.#parts.logins.of(config)
    if (login) return login
    const why =
      'url' in config.reach ? 'has a token of the config or of mcp connect' : 'is a program on this machine'
    throw new Refusal(`${name} ${why}, so it needs no login`)
  }

  /** Keeps a server that did not answer if a login can be started there. */
  async #loginInstead(server: McpServer): Promise<BegunLogin> {
    const login = this.#parts.logins.of(server.config)
    const state = server.state()
    let why = state.kind === 'down' ? state.why : 'the server is stopping'
    try {
      if (login?.state() === 'wanted') return await login.begin()
    } catch (error) {
      if (!(error instanceof LoginError)) throw error
      why = `it requires authentication, and a login cannot be begun (${error.message}); give it a token by --token-env`
    }
    throw new Refusal(`${server.name} is not connected: ${why}; it was not kept`)
  }

  async #finish(server: McpServer, answer: URLSearchParams): Promise<ListedMcp> {
    await refusing(server.name, this.#loginOf(server).finish(answer))
    if (server.state().kind !== 'up') await server.refresh().catch(() => undefined)
    // Somebody may have disconnected the server meanwhile.
    return this.#describe(this.#find(server.name))
  }
}

const UNKNOWN =
  'no login like that is under way, or it took too long: an admin begins one with /mcp login NAME'

async function refusing<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof LoginError) throw new Refusal(`${name}: ${error.message}`)
    throw error
  }
}

/**
 * Returns no config if the entry is unreadable, perhaps by another version of sshawl. The entry stays stored.
 */
function configOf({ name, entry }: ConnectedMcp, log: Log): readonly McpServerConfig[] {
  try {
    return [connectedMcp(JSON.parse(entry))]
  } catch {
    log.error({ server: name }, 'the stored MCP server is invalid; disconnect and connect it')
    return []
  }
}
