import type { SearchConfig, WebConfig } from '../adapters/web/config.ts'
import type { FileConfig } from './schema.ts'

type Written = NonNullable<FileConfig['tools']['web']>

/** The web as a file has it: `[tools.web]` turns reading pages on, a `search` in it the search. */
export function webFrom(
  { tools: { web } }: FileConfig,
  env: Readonly<Record<string, string | undefined>>,
): WebConfig | undefined {
  if (!web) return undefined
  return { fetch: web.fetch, ports: web.ports, ...(web.search ? { search: toSearch(web.search, env) } : {}) }
}

function toSearch(
  { provider, url, api_key_env: variable, engine_id: engineId }: NonNullable<Written['search']>,
  env: Readonly<Record<string, string | undefined>>,
): SearchConfig {
  const key = variable === undefined ? undefined : env[variable]?.trim()
  return {
    provider,
    ...(url === undefined ? {} : { url }),
    ...(variable === undefined ? {} : { apiKeyEnv: variable }),
    ...(key ? { apiKey: key } : {}),
    ...(engineId === undefined ? {} : { engineId }),
  }
}
