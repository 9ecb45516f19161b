import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import type { Log } from '../../../chat/ports.ts'
import { isMcpName, type McpByUrl, type McpServerConfig } from '../config.ts'
import type { McpLogin } from './login.ts'
import { readLogin, removeLogin, type KeptLogin } from './login-file.ts'
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
  /**
   * Forgets what is kept under a name, whichever server it was for, as `leave` does. Undefined where nothing is. Never rejects.
   */
  forget(name: string): Promise<Forgotten | undefined>
}

/** A login that is kept no more. */
export interface Forgotten {
  /** Why its tokens may still hold, in words that end a sentence. */
  readonly why?: string | undefined
}

export function createMcpLogins({ dir, back, log }: McpLoginsOptions): McpLogins {
  const made = new Map<string, { readonly reach: McpByUrl; readonly login: McpLogin }>()
  const fileOf = (name: string): string => join(dir, `${name}.json`)

  /** What is for an address that no server has under this name. */
  async function leaveRest(name: string, { url }: KeptLogin): Promise<string | undefined> {
    return await createPersonLogin({ name, reach: { url }, file: fileOf(name), back, log }).leave()
  }

  return {
    of({ name, reach }) {
      if ('command' in reach || bringsToken(reach)) return undefined
      const before = made.get(name)
      if (before && isDeepStrictEqual(before.reach, reach)) return before.login
      const file = fileOf(name)
      const login =
        reach.oauth?.grant === 'client_credentials'
          ? createOwnLogin(reach)
          : createPersonLogin({ name, reach, file, back, log })
      made.set(name, { reach, login })
      return login
    },
    begunWith: (state) => [...made].find(([, { login }]) => login.isBegun(state))?.[0],
    async forget(name) {
      if (!isMcpName(name)) return undefined
      const [kept, own] = [await keptIn(fileOf(name)), made.get(name)]
      if (typeof kept === 'object' && !(own && isKeptBy(own.reach, kept))) {
        const [why] = await Promise.all([leaveRest(name, kept), own?.login.leave()])
        return { why }
      }
      const why = await own?.login.leave()
      if (kept === undefined) return undefined
      if (kept !== 'damaged') return { why }
      return {
        why: (await isRemoved(fileOf(name)))
          ? 'its file was damaged, so its tokens hold until they expire'
          : `its file can be neither read nor removed: remove ${fileOf(name)}`,
      }
    },
  }
}

/** Whether what is kept is that of the login which the server has now. */
const isKeptBy = ({ url, oauth }: McpByUrl, kept: KeptLogin): boolean =>
  kept.url === url && oauth?.grant !== 'client_credentials'

const keptIn = (file: string): Promise<KeptLogin | 'damaged' | undefined> =>
  readLogin(file).catch(() => 'damaged' as const)

const isRemoved = (file: string): Promise<boolean> =>
  removeLogin(file).then(
    () => true,
    () => false,
  )

const bringsToken = ({ headers = {} }: McpByUrl): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
