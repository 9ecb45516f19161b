import { z } from 'zod'
import {
  SEARCH_PROVIDER_NAMES,
  SEARCH_PROVIDERS,
  type RequiredSearchKey,
  type SearchProvider,
  type WebConfig,
} from '../../web/index.ts'
import type { Environment } from './environment.ts'
import { camelKeys, variable } from './values.ts'

const searchFields = z.strictObject({
  provider: z.enum(SEARCH_PROVIDER_NAMES).describe('The search engine.'),
  url: z
    .url({ protocol: /^https?$/, error: 'write an address such as http://localhost:8888' })
    .optional()
    .describe('The address of a SearXNG server.'),
  api_key_env: variable('The environment variable with the key of Brave or Google.').optional(),
  engine_id: z.string().min(1).optional().describe("The id of Google's search engine (`cx`)."),
})

/** True unless the key is missing and the provider needs it. */
const hasRequired =
  (key: RequiredSearchKey) =>
  (entry: z.output<typeof searchFields>): boolean => {
    const { required }: SearchProvider = SEARCH_PROVIDERS[entry.provider]
    return entry[key] !== undefined || !required.includes(key)
  }

const search = searchFields
  .refine(hasRequired('url'), {
    path: ['url'],
    message: 'say where the SearXNG server is, such as "http://localhost:8888"',
  })
  .refine(hasRequired('api_key_env'), {
    path: ['api_key_env'],
    message: 'write the name of the environment variable that holds the key',
  })
  .refine(hasRequired('engine_id'), {
    path: ['engine_id'],
    message: "write the search engine's id, which Google calls cx",
  })

export const webSchema = z
  .strictObject({
    fetch: z.boolean().default(true).describe('Whether pages may be read.'),
    ports: z
      .array(z.int().min(1).max(65_535))
      .min(1)
      .default([80, 443])
      .describe('The only ports that pages are read from.'),
    search: search.optional().describe('The search engine of the tool that searches the web.'),
  })
  .describe('Tools that read web pages. Without this section there are no web tools.')

export function webFrom(
  web: z.output<typeof webSchema> | undefined,
  env: Environment,
): WebConfig | undefined {
  if (!web) return undefined
  const { search: entry, ...rest } = web
  if (!entry) return rest
  const apiKey = entry.api_key_env === undefined ? undefined : env[entry.api_key_env]?.trim()
  return { ...rest, search: { ...camelKeys(entry), ...(apiKey ? { apiKey } : {}) } }
}
