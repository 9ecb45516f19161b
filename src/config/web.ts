import type { WebConfig } from '../adapters/web/config.ts'
import type { Environment } from './environment.ts'
import type { FileConfig } from './schema.ts'

type WrittenWeb = NonNullable<FileConfig['tools']['web']>
type WrittenSearch = NonNullable<WrittenWeb['search']>

/** The config of the web from `[tools.web]`; absent if that section is absent. */
export function webFrom(written: WrittenWeb | undefined, env: Environment): WebConfig | undefined {
  if (!written) return undefined
  const { search, ...rest } = written
  return { ...rest, ...(search ? { search: toSearch(search, env) } : {}) }
}

/** Keys that are not named here have the same name in the file and in the code. */
function toSearch(
  { api_key_env: apiKeyEnv, engine_id: engineId, url, ...rest }: WrittenSearch,
  env: Environment,
): NonNullable<WebConfig['search']> {
  const apiKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]?.trim()
  return {
    ...rest,
    ...(url === undefined ? {} : { url }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(apiKey ? { apiKey } : {}),
    ...(engineId === undefined ? {} : { engineId }),
  }
}
