import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../../chat/ports.ts'
import { errorMessage } from '../../../lib/errors.ts'
import { createSerial } from '../../../lib/jobs/serial.ts'
import { remember } from '../secrets.ts'
import { readLogin, removeLogin, writeLogin, type GivenLogin, type KeptLogin } from './login-file.ts'

/** What is held of a login, in memory and in its file. Never rejects. */
export interface LoginKeeper {
  /** It is read from the file when it is asked for the first time. */
  held(): Promise<KeptLogin | undefined>
  /** The same, as far as it was read. */
  now(): KeptLogin | undefined
  /** What cannot be written holds until the end of the process. */
  keep(login: KeptLogin): Promise<void>
  forget(): Promise<void>
  /** The tokens and keys that it has and had, the newest last; bounded in number. */
  readonly secrets: ReadonlySet<string>
}

/** `url` is that of the server: what is kept for another one is none of its. */
export function createLoginKeeper(file: string, url: string, server: string, log: Log): LoginKeeper {
  const oneByOne = createSerial()
  const secrets = new Set<string>()
  let loading: Promise<void> | undefined
  let login: KeptLogin | undefined

  async function load(): Promise<void> {
    const found = await tried('read', () => readLogin(file))
    if (found?.url === url) take(found)
  }

  function take(next: KeptLogin | undefined): void {
    login = next
    // The tokens that it replaced may hold as well.
    for (const one of [...(next?.replaced ?? []), ...(next ? [next] : [])]) remember(secrets, secretsIn(one))
  }

  /** The last one that is held is the last one in the file. */
  async function set(next: KeptLogin | undefined): Promise<void> {
    if (isDeepStrictEqual(login, next)) return
    take(next)
    await oneByOne(async () => {
      if (next) await tried('written', () => writeLogin(file, next))
      else await tried('removed', () => removeLogin(file))
    })
  }

  async function tried<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      // The message of an error of JSON has a part of the text.
      const why = error instanceof SyntaxError ? 'it is damaged' : errorMessage(error)
      log.error({ server, file, why }, `the file of a login could not be ${what}; /mcp login makes another`)
      return undefined
    }
  }

  return {
    async held() {
      loading ??= load()
      await loading
      return login
    },
    now: () => login,
    keep: set,
    forget: () => set(undefined),
    secrets,
  }
}

function secretsIn({ tokens, client }: GivenLogin): readonly (string | undefined)[] {
  const { access_token, refresh_token, id_token } = tokens
  return [access_token, refresh_token, id_token, client.client_secret]
}
