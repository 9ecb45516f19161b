/** Public pages, search providers, and outgoing posts. Must not know rooms. */
export { Outgoing } from './outgoing.ts'
export {
  type RequiredSearchKey,
  SEARCH_PROVIDERS,
  SEARCH_PROVIDER_NAMES,
  type SearchProvider,
  type WebConfig,
} from './search-providers.ts'
export { createWeb } from './web.ts'
