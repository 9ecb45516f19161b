import { cleanLine } from '../../../lib/text/clean-text.ts'
import type { ModelAccess } from '../provider.ts'

/** Where requests go: what an error's sentence may name. */
export interface Upstream {
  readonly access: ModelAccess
  /** The address that requests go to. */
  readonly endpoint: string
  /** What an admin should look at if nothing answers there. */
  readonly advice: string
}

/**
 * A provider's text for people, on one line, with so many characters at most. Providers quote the key that they were given,
 * in part or whole, so whatever looks like a key is taken out.
 */
export function safe(text: string, { access }: Upstream, length: number): string {
  const hidden = access.apiKey ? text.replaceAll(access.apiKey, '[key]') : text
  return cleanLine(
    hidden.slice(0, 4 * length).replace(/\b(?:sk|pk|key|AIza)[-_A-Za-z0-9*.]{8,}/g, '[key]'),
  ).slice(0, length)
}
