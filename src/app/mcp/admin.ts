import { namesakeRule, type McpServerConfig } from '../../adapters/mcp/config.ts'
import type { McpServer } from '../../adapters/mcp/client/servers.ts'
import type { McpServers } from '../../adapters/mcp/client/servers.ts'
import type { McpLogins } from '../../adapters/mcp/logins.ts'
import { displayTarget } from '../../adapters/mcp/redact.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Clock, Log } from '../../chat/ports.ts'
import type { BegunLogin, ListedMcp, McpAdmin, McpOrder } from '../../commands/verbs/shared/mcp-servers.ts'
import { mcpEntry } from '../../config/mcp-entry.ts'
import { connectedMcp } from '../../config/mcp.ts'
import { errorMessage } from '../../lib/errors.ts'
import { closest } from '../../lib/suggest.ts'
import type { ConnectedMcp, ConnectedMcpStore } from '../../tools/ports/mcp.ts'
import { createLoginAdmin, type LoginAdmin } from './login.ts'

interface McpAdminParts {
  readonly servers: McpServers
  readonly store: ConnectedMcpStore
  /** The servers of the current config. */
  readonly configured: () => readonly McpServerConfig[]
  readonly logins: McpLogins
  /** Whether a tool has this name. */
  isTaken(name: string): boolean
  tellAdmins(text: string): void
  readonly clock: Clock
  readonly log: Log
}

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

/** `stored` are the servers that admins connected before. */
export function createMcpAdmin(parts: McpAdminParts, stored: readonly ConnectedMcp[]): ManagedMcp {
  const { servers, logins, isTaken, tellAdmins, clock, log } = parts
  const set = createServerSet(parts, stored)
  const find = (name: string): McpServer => findServer(servers, name)
  const describe = (server: McpServer): ListedMcp => {
    const state = server.state()
    const login = logins.of(server.config)?.state() ?? 'none'
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
      at: displayTarget(server.config.reach),
      by: set.connectedBy(server.name),
      login: login === 'none' ? null : login,
    }
  }
  const loginAdmin = createLoginAdmin({ logins, find, known: servers.find, describe, tellAdmins, log })

  function refuseName(name: string): void {
    if (set.has(name))
      throw new Refusal(
        `there is an MCP server called ${name} already; disconnect it first, or take another name`,
      )
    const ofServers = servers.all().flatMap((one) => one.tools().map(({ id }) => id.toLowerCase()))
    if (isTaken(name) || ofServers.includes(name))
      throw new Refusal(`${name} is no name for a server: ${namesakeRule(name)}`)
  }

  return {
    follow: set.follow,
    readAgain: set.readAgain,
    approvedElsewhere: (names) => readChanged(names, servers, log),
    cameBack: loginAdmin.cameBack,
    login: loginAdmin.login,
    finishLogin: loginAdmin.finishLogin,
    logout: loginAdmin.logout,
    list: () => servers.all().map(describe),
    async connect(order, by) {
      const { name } = order
      refuseName(name)
      const entry = JSON.stringify(entryOf(order))
      const { server, login } = await set.connect({ name, entry, by: by.name, at: clock.now() }, loginAdmin)
      log.info({ server: name, by: by.name }, 'an MCP server was connected by a command')
      return { server: describe(server), ...(login ? { login } : {}) }
    },
    async disconnect(name, by) {
      await set.disconnect(name)
      log.info({ server: name, by: by.name }, 'an MCP server was disconnected by a command')
    },
    async refresh(name) {
      const server = find(name)
      await server.refresh().catch((error: unknown) => {
        throw new Refusal(`${name} could not be read again: ${errorMessage(error)}`)
      })
      return describe(server)
    },
    review: (name, approve, by) => review(find(name), approve, by, log),
  }
}

/** The servers of the config, those that admins connected, and those that have not answered yet. */
function createServerSet(
  { servers, store, configured, logins, log }: McpAdminParts,
  stored: readonly ConnectedMcp[],
) {
  const connected = new Map(stored.map((one) => [one.name, one]))
  /** Kept if they answer. */
  const tried = new Map<string, ConnectedMcp>()
  const isConfigured = (name: string): boolean => configured().some((one) => one.name === name)

  function follow(): Promise<void> {
    const others = [...connected.values(), ...tried.values()].filter(({ name }) => !isConfigured(name))
    return servers.follow([...configured(), ...others.flatMap((one) => configOf(one, log))])
  }

  return {
    follow,
    has: (name: string): boolean =>
      servers.find(name) !== undefined || connected.has(name) || tried.has(name),
    /** Null for a server of the config. */
    connectedBy: (name: string): string | null =>
      isConfigured(name) ? null : (connected.get(name)?.by ?? null),

    async connect(
      one: ConnectedMcp,
      loginAdmin: LoginAdmin,
    ): Promise<{ server: McpServer; login?: BegunLogin }> {
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
        const server = findServer(servers, one.name)
        await server.tried
        const login = server.state().kind === 'up' ? undefined : await loginInstead(server, loginAdmin)
        await store.put(one)
        connected.set(one.name, one)
        return { server, ...(login ? { login } : {}) }
      } finally {
        tried.delete(one.name)
        await follow()
      }
    },

    async disconnect(name: string): Promise<void> {
      if (isConfigured(name))
        throw new Refusal(`${name} stands in the config: take it out of [[mcp]] there, then sshawl reload`)
      if (!connected.has(name)) {
        findServer(servers, name)
        throw new Refusal(`${name} is being connected; wait until that is done`)
      }
      await store.remove(name)
      connected.delete(name)
      await follow()
      // The issuer of the tokens may be slow, and the name is free meanwhile.
      await logins.forget(name)
    },

    async readAgain(names?: readonly string[]): Promise<void> {
      const now = new Map((await store.all()).map((one) => [one.name, one]))
      for (const name of names ?? [...connected.keys(), ...now.keys()]) {
        const one = now.get(name)
        if (one) connected.set(name, one)
        else if (connected.delete(name)) await logins.forget(name)
      }
      await follow()
    },
  }
}

function findServer(servers: McpServers, name: string): McpServer {
  const server = servers.find(name)
  if (server) return server
  const names = servers.all().map((one) => one.name)
  const near = closest(name, names)
  throw new Refusal(
    `there is no MCP server called ${name.slice(0, 40)}; ${near === undefined ? '/mcp list shows all' : `did you mean ${near}?`}`,
  )
}

/** An entry of an earlier version may not be readable any more; it stays stored. */
function configOf({ name, entry }: ConnectedMcp, log: Log): readonly McpServerConfig[] {
  try {
    return [connectedMcp(JSON.parse(entry))]
  } catch {
    log.error({ server: name }, 'what is stored of an MCP server cannot be used; disconnect and connect it')
    return []
  }
}

/** A server that did not answer is kept if it wants a login, and one can be begun. */
async function loginInstead(server: McpServer, { beginWanted }: LoginAdmin): Promise<BegunLogin> {
  const state = server.state()
  const refusal = (reason: string): Refusal =>
    new Refusal(`${server.name} is not connected: ${reason}; it was not kept`)
  const begun = await beginWanted(server).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    const [, reason = ''] = error.message.split(`${server.name}: `)
    throw refusal(
      `it wants to know who asks, and a login cannot be begun (${reason}); give it a token by --token-env`,
    )
  })
  if (begun) return begun
  throw refusal(state.kind === 'down' ? state.why : 'the server is stopping')
}

async function review(server: McpServer, approve: boolean, by: Person, log: Log) {
  if (server.state().kind !== 'up')
    throw new Refusal(`${server.name} is not connected now; what it changed is known when it is`)
  const changed = await server.review(approve)
  if (approve && changed.length > 0)
    log.info(
      { server: server.name, by: by.name, tools: changed.map(({ id }) => id) },
      'changed tools of an MCP server were approved',
    )
  return changed
}

async function readChanged(names: readonly string[], servers: McpServers, log: Log): Promise<void> {
  for (const name of names) {
    const server = servers.find(name)
    if (server?.state().kind === 'up')
      await server
        .refresh()
        .catch((error: unknown) => log.warn({ error, server: name }, 'an MCP server was not read again'))
  }
}

/** An order in the keys of `[[mcp]]`. Throws `Refusal`. */
function entryOf({ name, target, trust, tokenEnv, passEnv }: McpOrder): object {
  const entry = {
    name,
    ...(/^\s*[a-z]+:\/\//i.test(target) ? { url: target.trim() } : { command: wordsOf(target.trim()) }),
    ...(trust === undefined ? {} : { trust }),
    ...(tokenEnv === undefined ? {} : { token_env: tokenEnv }),
    ...(passEnv.length === 0 ? {} : { pass_env: passEnv }),
  }
  const [issue] = mcpEntry.safeParse(entry).error?.issues ?? []
  if (!issue) return entry
  const key = String(issue.path[0] ?? name)
  throw new Refusal(`${FLAG[key] ?? key}: ${issue.message}`)
}

/** What people write for a key. */
const FLAG: Readonly<Record<string, string>> = {
  token_env: '--token-env',
  pass_env: '--pass-env',
  trust: '--trust',
}

/** Quotes mean nothing, as everywhere; a word with a space in it needs the JSON form. */
function wordsOf(target: string): unknown {
  if (!target.startsWith('[')) return target.split(/\s+/)
  try {
    return JSON.parse(target)
  } catch {
    throw new Refusal('the command is no JSON list of texts, such as ["npx", "-y", "my server"]')
  }
}
