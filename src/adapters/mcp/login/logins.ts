import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import type { Log } from '../../../chat/ports.ts'
import type { McpByUrl, McpServerConfig } from '../config.ts'
import type { McpLogin } from './login.ts'
import { createOwnLogin } from './own-login.ts'
import { createPersonLogin } from './person-login.ts'

/** What logins are made with. */
export interface McpLoginsOptions {
  /** The directory in which they are kept; made when the first one is. */
  readonly dir: string
  /** To where a browser goes in the end, where the config of a server says nothing else. */
  readonly back: () => string
  readonly log: Log
}

/** The logins at all servers. */
export interface McpLogins {
  /** The same for as long as the server is the same; undefined for one that has a token, or none of it. */
  of(config: Pick<McpServerConfig, 'name' | 'reach'>): McpLogin | undefined
  /** The name of the server whose login was begun with this `state`. */
  begunWith(state: string): string | undefined
}

export function createMcpLogins({ dir, back, log }: McpLoginsOptions): McpLogins {
  const made = new Map<string, { readonly reach: McpByUrl; readonly login: McpLogin }>()
  return {
    of({ name, reach }) {
      if ('command' in reach || bringsToken(reach)) return undefined
      const before = made.get(name)
      if (before && isDeepStrictEqual(before.reach, reach)) return before.login
      const file = join(dir, `${name}.json`)
      const login =
        reach.oauth?.grant === 'client_credentials'
          ? createOwnLogin(reach)
          : createPersonLogin({ name, reach, file, back, log })
      made.set(name, { reach, login })
      return login
    },
    begunWith: (state) => [...made].find(([, { login }]) => login.isBegun(state))?.[0],
  }
}

const bringsToken = ({ headers = {} }: McpByUrl): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
