import type { Environment } from './environment.ts'
import { isPostgresUrl, POSTGRES_EXAMPLE } from './postgres-url.ts'
import { ConfigError } from './problem.ts'
import type { FileConfig } from './schema.ts'

/** Where the rooms are stored; no `url`: in a file of the data directory. The URL may hold a password: it is shown nowhere. */
export interface StorageConfig {
  readonly url?: string
}

/** The storage from `[storage]`. Throws `ConfigError` where it names a variable that does not hold a URL. */
export function storageFrom(storage: FileConfig['storage'], env: Environment): StorageConfig {
  const { url, url_env: name } = storage
  if (url !== undefined) return { url }
  if (name === undefined) return {}
  const value = env[name]?.trim() ?? ''
  if (isPostgresUrl(value)) return { url: value }
  const what = value === '' ? 'is not set' : 'holds no URL of PostgreSQL'
  throw new ConfigError([
    `storage.url_env: ${name} ${what}; set it to an address such as ${POSTGRES_EXAMPLE}`,
  ])
}
