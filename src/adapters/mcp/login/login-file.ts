import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { errorCode } from '../../../lib/errors.ts'

/** What a login gave: all that the next token needs, and what takes it back. */
export interface GivenLogin {
  /** The server that it is for; at any other address, it is none. */
  readonly url: string
  readonly tokens: StoredOAuthTokens
  readonly client: StoredOAuthClientInformation
  /** Who gives the tokens. */
  readonly server: OAuthDiscoveryState
  /** What the tokens are for, as RFC 8707 has it. */
  readonly resource?: string | undefined
}

/** What is kept of a login. */
export interface KeptLogin extends GivenLogin {
  /** Those whose place it took, the newest last; they are taken back with it. */
  readonly replaced?: readonly GivenLogin[] | undefined
}

/** As far as something here depends on it. The rest is the SDK's, and is kept as it was. */
const given = z.object({
  url: z.string(),
  tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }),
  client: z.looseObject({ client_id: z.string() }),
  server: z.looseObject({ authorizationServerUrl: z.string() }),
  resource: z.string().optional(),
})
const kept = given.extend({ replaced: z.array(given).optional() })

/** Undefined where there is none. Rejects where there is something else, or it cannot be read. */
export async function readLogin(file: string): Promise<KeptLogin | undefined> {
  try {
    return kept.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** It is there whole or as before, and only for us. */
export async function writeLogin(file: string, login: KeptLogin): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writePrivately(draft, JSON.stringify(login))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

export const removeLogin = (file: string): Promise<void> => rm(file, { force: true })

async function writePrivately(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
