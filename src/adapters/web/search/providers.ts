import { keysOf } from '../../../lib/keys-of.ts'
import { brave } from './brave.ts'
import { google } from './google.ts'
import type { SearchAccess, SearchProvider } from './provider.ts'
import { searxng } from './searxng.ts'

/** Every search provider there is, by its name in the config: the config's check and the types are made from it. */
export const SEARCH_PROVIDERS = { searxng, brave, google } satisfies Readonly<Record<string, SearchProvider>>

/** All names, in the order of the list. */
export const SEARCH_PROVIDER_NAMES = keysOf(SEARCH_PROVIDERS)

/** A search provider as it is configured. */
export interface SearchConfig extends SearchAccess {
  readonly provider: keyof typeof SEARCH_PROVIDERS
}
