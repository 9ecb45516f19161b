import type { McpServer } from '../../adapters/mcp/client/servers.ts'
import { LoginError } from '../../adapters/mcp/login-fetch.ts'
import type { ServerLogin } from '../../adapters/mcp/logins.ts'
import type { McpLogins } from '../../adapters/mcp/logins.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Log } from '../../chat/ports.ts'
import type { BegunLogin, ListedMcp, McpAdmin } from '../../commands/verbs/shared/mcp-servers.ts'

interface McpLoginParts {
  readonly logins: McpLogins
  /** Throws `Refusal`. */
  find(name: string): McpServer
  /** Undefined if there is none. */
  known(name: string): McpServer | undefined
  describe(server: McpServer): ListedMcp
  tellAdmins(text: string): void
  readonly log: Log
}

/** How admins log in to servers, and how a browser comes back from that. */
export interface LoginAdmin extends Pick<McpAdmin, 'login' | 'finishLogin' | 'logout'> {
  /** Undefined if the server wants no login; rejects with `Refusal`. */
  beginWanted(server: McpServer): Promise<BegunLogin | undefined>
  /** What a browser that came back is told. Only its person knows what `answer` holds. Never rejects. */
  cameBack(answer: URLSearchParams): Promise<{ readonly status: 200 | 400; readonly text: string }>
}

export function createLoginAdmin(parts: McpLoginParts): LoginAdmin {
  const { logins, find, known, describe, tellAdmins, log } = parts

  function loginOf(server: McpServer): ServerLogin {
    const login = logins.of(server.config)
    if (login) return login
    throw new Refusal(
      'url' in server.config.reach
        ? `${server.name} has a token of the config or of mcp connect, so it needs no login`
        : `${server.name} is a program on this machine, so it needs no login`,
    )
  }

  async function finish(server: McpServer, answer: URLSearchParams): Promise<ListedMcp> {
    await refusing(server.name, loginOf(server).finish(answer))
    // What is wrong besides the login is in the list.
    if (server.state().kind !== 'up') await server.refresh().catch(() => undefined)
    // Meanwhile somebody may have disconnected it.
    return describe(find(server.name))
  }

  return {
    async beginWanted(server) {
      const login = logins.of(server.config)
      return login?.state() === 'wanted' ? await refusing(server.name, login.begin()) : undefined
    },
    async login(name, by) {
      const begun = await refusing(name, loginOf(find(name)).begin())
      log.info({ server: name, by: by.name }, 'a login at an MCP server was begun')
      return begun
    },
    async finishLogin(name, address, by) {
      const server = await finish(find(name), answerIn(address))
      log.info({ server: name, by: by.name }, 'a login at an MCP server was made')
      return server
    },
    async logout(name, by) {
      const server = known(name)
      const login = server && logins.of(server.config)
      const was = login?.state() !== 'held' && login?.isUnderWay() ? 'begun' : 'held'
      const isOpen = login?.state() === 'held' || login?.isUnderWay()
      // An earlier server of this name may have left a file.
      const left = login && isOpen ? { why: await login.logout() } : await logins.forget(name)
      if (!left) {
        loginOf(find(name))
        throw new Refusal(`nobody is logged in at ${name}`)
      }
      log.info({ server: name, by: by.name }, 'a login at an MCP server was forgotten')
      // Now it turns us away, so that it is gone with a notice.
      await server?.refresh().catch(() => undefined)
      return { was, ...left }
    },
    async cameBack(answer) {
      const name = logins.begunWith(answer.get('state') ?? '')
      if (name === undefined) return { status: 400, text: UNKNOWN }
      try {
        const { state, why } = await finish(find(name), answer)
        const text = `${name} is logged in, and it is ${state}${why === null ? '' : ` (${why})`}`
        log.info({ server: name }, 'a login at an MCP server was made in a browser')
        tellAdmins(`the MCP server ${text}`)
        return { status: 200, text: `${text}; this page can be closed` }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { status: 400, text: error.message }
      }
    },
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

/** As people and programs put an address into quotes. */
const QUOTED = /^[\s'"`\\<“”„‘’‚«»‹›]+|[\s'"`\\>“”„‘’‚«»‹›]+$/g

/** What follows the `?`, however much of the address was copied, also in quotes. Throws `Refusal`. */
function answerIn(address: string): URLSearchParams {
  const answer = new URLSearchParams(
    address
      .replaceAll(QUOTED, '')
      .replace(/^[^?]*\?/, '')
      .replace(/#.*$/, ''),
  )
  if (answer.has('state') && (answer.has('code') || answer.has('error'))) return answer
  throw new Refusal(
    'give the whole address to which the browser went: it has code= and state= in it, and the state shows that it is the answer to your login',
  )
}
