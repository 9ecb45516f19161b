import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { errorCode, errorMessage } from '../base/errors.ts'
import { createSerial } from '../base/jobs/serial.ts'

export interface StoredLogin {
  /** URL of the server; the login is valid for no other server. */
  readonly url: string
  readonly tokens: StoredOAuthTokens
  readonly client: StoredOAuthClientInformation
  readonly server: OAuthDiscoveryState
  readonly resource?: string | undefined
}

/** The fields that our code reads. The other fields belong to the SDK and are kept. */
const storedLogin = z.object({
  url: z.string(),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }),
  client: z.looseObject({ client_id: z.string() }),
  server: z.looseObject({ authorizationServerUrl: z.string() }),
  resource: z.string().optional(),
})

/** Resolves to undefined if there is no file. Rejects if the file is damaged or cannot be read. */
export async function readLogin(file: string): Promise<StoredLogin | undefined> {
  try {
    return storedLogin.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Writes the whole file or nothing, readable only for sshawl's user. */
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

/** Limit of redacted secrets; older tokens have expired. */
const MAX_SECRETS = 32

/** Called if the file of a login cannot be used. */
type LoginFileFailed = (what: 'read' | 'written' | 'removed', why: string) => void

/** The login at one server, in memory and perhaps in a file. Methods never reject, but call `failed`. */
export class LoginStore {
  current: StoredLogin | undefined
  /** Secrets of this login and earlier ones, the newest last. */
  secrets: readonly string[] = []
  readonly #file: string | undefined
  readonly #failed: LoginFileFailed
  readonly #oneByOne = createSerial()
  #loading: Promise<void> | undefined

  constructor(file: string | undefined, failed: LoginFileFailed) {
    this.#file = file
    this.#failed = failed
  }

  /** Reads the file the first time; ignores a login for another address. */
  async read(url: string): Promise<StoredLogin | undefined> {
    this.#loading ??= this.#useFile('read', async (file) => {
      const found = await readLogin(file)
      if (found?.url === url) this.#hold(found)
    })
    await this.#loading
    return this.current
  }

  /** `undefined` deletes the login. */
  async write(login: StoredLogin | undefined): Promise<void> {
    // The file may belong to another address.
    if (!login && !this.current) return
    this.#hold(login)
    await this.#oneByOne(() =>
      login
        ? this.#useFile('written', (file) => writeLogin(file, login))
        : this.#useFile('removed', (file) => rm(file, { force: true })),
    )
  }

  #hold(login: StoredLogin | undefined): void {
    this.current = login
    const { access_token, refresh_token, id_token } = login?.tokens ?? {}
    const newest = [access_token, refresh_token, id_token, login?.client.client_secret].flatMap(
      (one) => one ?? [],
    )
    this.secrets = [...this.secrets.filter((one) => !newest.includes(one)), ...newest].slice(-MAX_SECRETS)
  }

  async #useFile(what: Parameters<LoginFileFailed>[0], use: (file: string) => Promise<void>): Promise<void> {
    try {
      if (this.#file !== undefined) await use(this.#file)
    } catch (error) {
      // A JSON error's message quotes the text.
      this.#failed(what, error instanceof SyntaxError ? 'it is damaged' : errorMessage(error))
    }
  }
}
