import { namesakeRule, type McpServerConfig } from '../../adapters/mcp/config.ts'
import type { McpServer } from '../../adapters/mcp/client/server.ts'
import type { McpServers } from '../../adapters/mcp/client/servers.ts'
import type { McpLogin } from '../../adapters/mcp/login/login.ts'
import type { McpLogins } from '../../adapters/mcp/login/logins.ts'
import { shownReach } from '../../adapters/mcp/secrets.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Clock, Log } from '../../chat/ports.ts'
import type { BegunLogin, ListedMcp, McpAdmin, McpOrder } from '../../commands/verbs/mcp/ports.ts'
import { connectedMcp } from '../../config/mcp.ts'
import { errorMessage } from '../../lib/errors.ts'
import { closest } from '../../lib/suggest.ts'
import type { ConnectedMcp, ConnectedMcpStore } from '../../tools/ports/mcp.ts'
import { entryOf } from './entry.ts'
import { createLoginAdmin, type LoginAdmin } from './login.ts'

interface McpAdminParts {
  readonly servers: McpServers
  readonly store: ConnectedMcpStore
  /** Those of the config, now. */
  readonly configured: () => readonly McpServerConfig[]
  readonly logins: McpLogins
  /** Whether a tool has this name. */
  isTaken(name: string): boolean
  tellAdmins(text: string): void
  readonly clock: Clock
  readonly log: Log
}

/** Servers that were stored as `[[mcp]]` entries. */
export interface ManagedMcp extends McpAdmin {
  /** Has the servers be those of the config, and those that admins connected. Never rejects. */
  follow(): Promise<void>
  /** Another server connected or disconnected some of these, or of all. Rejects with `StorageError`. */
  readAgain(names?: readonly string[]): Promise<void>
  /** Another server approved tools of these. Never rejects. */
  approvedElsewhere(names: readonly string[]): Promise<void>
  /** A browser came back from a login. Never rejects. */
  readonly cameBack: LoginAdmin['cameBack']
}

/** `stored` are those that admins connected before. */
export function createMcpAdmin(parts: McpAdminParts, stored: readonly ConnectedMcp[]): ManagedMcp {
  const { servers, store, configured, logins, isTaken, tellAdmins, clock, log } = parts
  const connected = new Map(stored.map((one) => [one.name, one]))
  /** Servers that have not answered yet, and may be kept if they do. */
  const tried = new Map<string, ConnectedMcp>()

  function follow(): Promise<void> {
    const first = configured()
    const names = new Set(first.map(({ name }) => name))
    const others = [...connected.values(), ...tried.values()].filter(({ name }) => !names.has(name))
    return servers.follow([...first, ...others.flatMap((one) => configOf(one))])
  }

  /** An entry of an earlier version may not be readable any more; it stays stored. */
  function configOf({ name, entry }: ConnectedMcp): readonly McpServerConfig[] {
    try {
      return [connectedMcp(JSON.parse(entry))]
    } catch {
      log.error({ server: name }, 'what is stored of an MCP server cannot be used; disconnect and connect it')
      return []
    }
  }

  const isConfigured = (name: string): boolean => configured().some((one) => one.name === name)

  function find(name: string): McpServer {
    const server = servers.find(name)
    if (server) return server
    const names = servers.all().map((one) => one.name)
    const near = closest(name, names)
    throw new Refusal(
      `there is no MCP server called ${name.slice(0, 40)}; ${near === undefined ? '/mcp list shows all' : `did you mean ${near}?`}`,
    )
  }

  const describe = (server: McpServer): ListedMcp => {
    const state = server.state()
    return {
      name: server.name,
      state: state.kind,
      why: state.kind === 'down' ? state.why : null,
      tools: {
        offered: server.tools().length,
        withheld: server.withheld(),
        leftOut: state.kind === 'up' ? state.leftOut : [],
      },
      trust: server.config.trust,
      at: shownReach(server.config.reach),
      by: isConfigured(server.name) ? null : (connected.get(server.name)?.by ?? null),
      login: shownLogin(logins.of(server.config)),
    }
  }
  const loginAdmin = createLoginAdmin({ logins, find, known: servers.find, describe, tellAdmins, log })

  async function attempt(one: ConnectedMcp): Promise<{ server: McpServer; login?: BegunLogin }> {
    tried.set(one.name, one)
    try {
      // One that is left of another server of this name must not let everybody in there.
      const left = await logins.forget(one.name)
      if (left)
        log.info(
          { server: one.name, ...left },
          'an old login under the name of a new MCP server was forgotten',
        )
      await follow()
      const server = find(one.name)
      await server.tried
      const state = server.state()
      const login = state.kind === 'up' ? undefined : await loginInstead(server)
      await store.put(one)
      connected.set(one.name, one)
      return { server, ...(login ? { login } : {}) }
    } finally {
      tried.delete(one.name)
      await follow()
    }
  }

  /** What did not answer is kept where it wants a login, and one can be made. */
  async function loginInstead(server: McpServer): Promise<BegunLogin> {
    const state = server.state()
    const why = state.kind === 'down' ? state.why : 'the server is stopping'
    const refusal = (reason: string): Refusal =>
      new Refusal(`${server.name} is not connected: ${reason}; it was not kept`)
    try {
      const begun = await loginAdmin.beginWanted(server)
      if (begun) return begun
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const [, reason = ''] = error.message.split(`${server.name}: `)
      throw refusal(
        `it wants to know who asks, and a login cannot be begun (${reason}); give it a token by --token-env`,
      )
    }
    throw refusal(why)
  }

  return {
    follow,
    async readAgain(names) {
      const stored = new Map((await store.all()).map((one) => [one.name, one]))
      for (const name of names ?? [...connected.keys(), ...stored.keys()]) {
        const one = stored.get(name)
        if (one) connected.set(name, one)
        else if (connected.delete(name)) await logins.forget(name)
      }
      await follow()
    },
    async approvedElsewhere(names) {
      for (const name of names) {
        const server = servers.find(name)
        if (server?.state().kind === 'up')
          await server
            .refresh()
            .catch((error: unknown) => log.warn({ error, server: name }, 'an MCP server was not read again'))
      }
    },
    cameBack: loginAdmin.cameBack,
    login: loginAdmin.login,
    finishLogin: loginAdmin.finishLogin,
    logout: loginAdmin.logout,
    list: () => servers.all().map(describe),
    async connect(order: McpOrder, by) {
      const { name } = order
      if (servers.find(name) || connected.has(name) || tried.has(name))
        throw new Refusal(
          `there is an MCP server called ${name} already; disconnect it first, or take another name`,
        )
      const ofServers = servers.all().flatMap((one) => one.tools().map(({ id }) => id.toLowerCase()))
      if (isTaken(name) || ofServers.includes(name))
        throw new Refusal(`${name} is no name for a server: ${namesakeRule(name)}`)
      const entry = JSON.stringify(entryOf(order))
      const { server, ...login } = await attempt({ name, entry, by: by.name, at: clock.now() })
      log.info({ server: name, by: by.name }, 'an MCP server was connected by a command')
      return { server: describe(server), ...login }
    },
    async disconnect(name, by) {
      if (isConfigured(name))
        throw new Refusal(`${name} stands in the config: take it out of [[mcp]] there, then sshawl reload`)
      if (!connected.has(name)) throw missing(name)
      await store.remove(name)
      connected.delete(name)
      await follow()
      // Whoever gave the tokens may be slow, and the name is free meanwhile.
      await logins.forget(name)
      log.info({ server: name, by: by.name }, 'an MCP server was disconnected by a command')
    },
    async refresh(name) {
      const server = find(name)
      try {
        await server.refresh()
      } catch (error) {
        throw new Refusal(`${name} could not be read again: ${errorMessage(error)}`)
      }
      return describe(server)
    },
    async review(name, { approve, by }) {
      const server = find(name)
      const { kind } = server.state()
      if (kind !== 'up')
        throw new Refusal(`${name} is not connected now; what it changed is known when it is`)
      const changed = await server.review(approve)
      if (approve && changed.length > 0)
        log.info(
          { server: name, by: by.name, tools: changed.map(({ id }) => id) },
          'changed tools of an MCP server were approved',
        )
      return changed
    },
  }

  function missing(name: string): Refusal {
    try {
      find(name)
      return new Refusal(`${name} is being connected; wait until that is done`)
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }
}

function shownLogin(login: McpLogin | undefined): ListedMcp['login'] {
  const state = login?.state() ?? 'none'
  return state === 'none' ? null : state
}
