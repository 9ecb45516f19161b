import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { errorCode, errorMessage } from '../../lib/errors.ts'
import { createSerial } from '../../lib/jobs/serial.ts'

/** What is kept of a login: what renews and revokes its tokens. */
export interface StoredLogin {
  /** The address of the server that it is for; it counts for no other. */
  readonly url: string
  readonly tokens: StoredOAuthTokens
  readonly client: StoredOAuthClientInformation
  /** The authorization server. */
  readonly server: OAuthDiscoveryState
  /** The resource indicator of the tokens (RFC 8707). */
  readonly resource?: string | undefined
}

/** As far as our code depends on it. The rest is the SDK's, and is kept as it was. */
const storedLogin = z.object({
  url: z.string(),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }),
  client: z.looseObject({ client_id: z.string() }),
  server: z.looseObject({ authorizationServerUrl: z.string() }),
  resource: z.string().optional(),
})

/** Undefined if there is none. Rejects if the file is damaged or cannot be read. */
export async function readLogin(file: string): Promise<StoredLogin | undefined> {
  try {
    return storedLogin.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Writes it whole or not at all, readable for us only. */
async function writeLogin(file: string, login: StoredLogin): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(JSON.stringify(login))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

export const deleteLogin = (file: string): Promise<void> => rm(file, { force: true })

/** The login at one server, in memory and in its file. Never rejects; a login that cannot be written ends with us. */
export interface LoginStore {
  /** Reads the file the first time. */
  read(): Promise<StoredLogin | undefined>
  /** The login as far as it was read: the same object until it changes. */
  current(): StoredLogin | undefined
  /** `undefined` deletes it. */
  write(login: StoredLogin | undefined): Promise<void>
  /** The tokens and keys that it has and had, the newest last. */
  secrets(): readonly string[]
}

/** A token that was replaced long ago has ended. */
const MAX_SECRETS = 32

/** `failed` is told what could not be done with the file. */
export function createLoginStore(
  file: string,
  url: string,
  failed: (what: 'read' | 'written' | 'removed', why: string) => void,
): LoginStore {
  const oneByOne = createSerial()
  let loading: Promise<void> | undefined
  let login: StoredLogin | undefined
  let secrets: readonly string[] = []

  function hold(next: StoredLogin | undefined): void {
    login = next
    const newest = secretsIn(next)
    secrets = [...secrets.filter((one) => !newest.includes(one)), ...newest].slice(-MAX_SECRETS)
  }

  async function load(): Promise<void> {
    const found = await tried('read', () => readLogin(file))
    if (found?.url === url) hold(found)
  }

  async function tried<T>(
    what: Parameters<typeof failed>[0],
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      // The message of an error of JSON quotes the text.
      failed(what, error instanceof SyntaxError ? 'it is damaged' : errorMessage(error))
      return undefined
    }
  }

  return {
    async read() {
      loading ??= load()
      await loading
      return login
    },
    current: () => login,
    async write(next) {
      // The file may be of another address.
      if (!next && !login) return
      hold(next)
      await oneByOne(() =>
        next ? tried('written', () => writeLogin(file, next)) : tried('removed', () => deleteLogin(file)),
      )
    },
    secrets: () => secrets,
  }
}

const secretsIn = (login: StoredLogin | undefined): readonly string[] => {
  const { access_token, refresh_token, id_token } = login?.tokens ?? {}
  return [access_token, refresh_token, id_token, login?.client.client_secret].filter(
    (one) => one !== undefined,
  )
}
