// Code that all search providers share. It must not know who searches, or whether they may.

import { STATUS_CODES } from 'node:http'
import { WebError, type SearchHit, type WebSearch } from '../tools/index.ts'
import { readBody } from './body.ts'
import { get, startTimeLimit, type TimeLimits } from './request.ts'
import {
  SEARCH_PROVIDERS,
  type SearchConfig,
  type SearchProvider,
  type SearchRequest,
} from './search-providers.ts'

export interface SearchLimits extends TimeLimits {
  readonly bodyBytes: number
}

export const SEARCH_LIMITS: SearchLimits = { totalMs: 15_000, idleMs: 10_000, bodyBytes: 2 * 1024 * 1024 }

/**
 * Creates the search. Its URL is the admin's and may be private. Redirects are not followed, so that no other
 * site gets the key. Errors omit the request's URL, which may contain the key.
 */
export function createSearch(config: SearchConfig, limits: SearchLimits = SEARCH_LIMITS): WebSearch {
  const provider: SearchProvider = SEARCH_PROVIDERS[config.provider]
  const base = new URL(config.url ?? provider.usualUrl ?? '')
  return {
    provider: config.provider,
    host: base.host,
    async find(query, signal) {
      if (config.apiKeyEnv !== undefined && !config.apiKey) throw new WebError(noKey(config.apiKeyEnv))
      return await ask(provider, provider.request(base, query, config), limits, signal)
    },
  }
}

const noKey = (variable: string): string =>
  `the search has no key: an admin must set ${variable} in the server's environment`

async function ask(
  provider: SearchProvider,
  { url, headers }: SearchRequest,
  limits: SearchLimits,
  outer: AbortSignal,
): Promise<readonly SearchHit[]> {
  using time = startTimeLimit(limits, outer)
  const answer = await get({ url, headers: { accept: 'application/json', ...headers } }, time)
  const status = answer.statusCode ?? 0
  if (status !== 200) {
    answer.destroy()
    throw new WebError(refusal(url.host, status, provider))
  }
  const { bytes, cut } = await readBody(answer, url, limits.bodyBytes, time)
  const hits = cut ? undefined : provider.hits(parsed(bytes))
  if (!hits)
    throw new WebError(`${url.host} did not answer as a search does; an admin must check [tools.web]`)
  return hits
}

function refusal(host: string, status: number, { advice }: SearchProvider): string {
  const what = `${host} answered ${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const hint = advice?.[status] ?? usualAdvice(status)
  return hint === undefined ? what : `${what}: ${hint}`
}

function usualAdvice(status: number): string | undefined {
  if (status === 401 || status === 403) return 'the key is not accepted; an admin must check it'
  if (status === 429) return 'too many searches for now; try again later'
  if (status >= 300 && status < 400) return 'an admin must write the address it redirects to into [tools.web]'
  return status >= 500 ? 'it has trouble; try again later' : undefined
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
