// Pages and a search on the public web. Decides which addresses are allowed, not who may ask. Must not know
// tools, rooms or people.
import type { Web } from '../tools/index.ts'
import { createResolver, isPublicAddress, type UrlPolicy } from './addresses.ts'
import { createPageReader } from './page-reader.ts'
import { createPages, PAGE_LIMITS, type PageLimits } from './pages.ts'
import { createSearch } from './search.ts'
import type { WebConfig } from './search-providers.ts'

/** Replacements of the real internet in tests; no config sets them. */
export interface WebOverrides {
  readonly resolve?: UrlPolicy['resolve']
  readonly allowAddress?: UrlPolicy['allowAddress']
  readonly limits?: PageLimits
  readonly authorities?: string
}

/** Returns an empty object without a config. `readerEntry` is the built reader/main.ts. */
export function createWeb(
  config: WebConfig | undefined,
  readerEntry: string,
  overrides: WebOverrides = {},
): Web {
  if (!config) return {}
  const {
    resolve = createResolver(),
    allowAddress = isPublicAddress,
    limits = PAGE_LIMITS,
    authorities,
  } = overrides
  const visit = createPages({
    rules: { ports: config.ports, resolve, allowAddress },
    limits,
    readHtml: createPageReader(readerEntry),
    ...(authorities === undefined ? {} : { authorities }),
  })
  return {
    ...(config.fetch ? { visit } : {}),
    ...(config.search ? { search: createSearch(config.search) } : {}),
  }
}
