import type { SharedV3ProviderMetadata, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { JsonObject } from '../../lib/json.ts'

// What a provider sends with a call or a thought, and wants back with it. We store it and do not read it.

/** As we keep it; nothing where there is nothing. */
export const keptData = (metadata: SharedV3ProviderMetadata | undefined): { providerData?: JsonObject } =>
  metadata ? { providerData: metadata as JsonObject } : {}

/** As the SDK takes it back; nothing where there is nothing. */
export const returnedData = (data: JsonObject | undefined): { providerOptions?: SharedV3ProviderOptions } =>
  data ? { providerOptions: data as SharedV3ProviderOptions } : {}
