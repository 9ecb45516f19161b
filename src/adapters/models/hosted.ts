import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { ModelAccess, Provider } from './provider.ts'
import { sdkModel, type SdkOptions } from './sdk-model.ts'

/** What the SDKs of such providers are made with. */
interface HostedOptions {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof fetch
}

/** The adapter for a provider on the internet. `load` makes the SDK's model; see `sdkModel`. */
export const hosted =
  (
    endpointOf: (access: ModelAccess) => string,
    load: (options: HostedOptions, model: string) => Promise<LanguageModelV3>,
    sdkOptions: Omit<SdkOptions, 'limits'>,
  ): Provider['create'] =>
  (access, limits) => {
    const baseURL = endpointOf(access)
    // Without a key, even an empty one, the libraries would look in the environment.
    const options = { baseURL, apiKey: access.apiKey ?? '' }
    const target = { access, endpoint: baseURL, advice: 'is the network up?' }
    return sdkModel((fetchIt) => load({ ...options, fetch: fetchIt }, access.model), target, {
      ...sdkOptions,
      limits,
    })
  }
