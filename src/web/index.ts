/** Public pages, search providers, and what is sent out. Knows no room. */
export { Outgoing } from './outgoing.ts'
export {
  type RequiredSearchKey,
  SEARCH_PROVIDERS,
  SEARCH_PROVIDER_NAMES,
  type SearchProvider,
  type WebConfig,
} from './search-providers.ts'
export { createWeb } from './web.ts'
