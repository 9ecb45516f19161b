/**
 * The public web: pages to read, and a search. What may be reached is decided here, by address; who may ask for it is
 * decided elsewhere. Nothing here knows a tool, a room or a person.
 */
import type { Web } from '../../tools/web.ts'
import { createResolver, isPublicAddress, type UrlPolicy } from './addresses.ts'
import { createPageReader } from './page-reader.ts'
import { createPages, PAGE_LIMITS, type PageLimits } from './pages.ts'
import { createSearch } from './search.ts'
import type { WebConfig } from './search-providers.ts'

/** What tests may put in the place of the real internet; no config reaches these. */
export interface WebOverrides {
  readonly resolve?: UrlPolicy['resolve']
  readonly allowAddress?: UrlPolicy['allowAddress']
  readonly limits?: PageLimits
  /** See `GetRequest`. */
  readonly authorities?: string
}

/** The web as it is configured; nothing at all without a config. `readerEntry` is the built reader/main.ts. */
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
