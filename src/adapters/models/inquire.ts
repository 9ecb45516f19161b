import type { z } from 'zod'
import { guardedFetch } from './guarded-fetch.ts'
import type { ModelAccess, ModelLimits } from './provider.ts'

/** Limits on what a server may send when it is asked about its models. A hosted one may list thousands of them. */
const INQUIRY_LIMITS: ModelLimits = {
  idleMs: 10_000,
  answerBytes: 8 * 1024 * 1024,
  lineBytes: 8 * 1024 * 1024,
}

/** What a server is asked. */
export interface Inquiry<Answer> {
  readonly url: string
  /** Sent as JSON in a POST; a GET is made when absent. */
  readonly body?: object
  /** What the answer must have to be read. */
  readonly schema: z.ZodType<Answer>
}

/** Asks a server about its models. Rejects for whatever goes wrong, and with the signal's reason. */
export async function inquire<Answer>(
  { url, body, schema }: Inquiry<Answer>,
  access: Pick<ModelAccess, 'apiKey'>,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await guardedFetch(INQUIRY_LIMITS)(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...bearer(access) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal,
  })
  if (!response.ok) throw new Error(`${new URL(url).pathname} answered with status ${response.status}`)
  return schema.parse(await response.json())
}

/** The header that carries the key, if there is one. */
export const bearer = ({ apiKey }: Pick<ModelAccess, 'apiKey'>): Record<string, string> =>
  apiKey ? { authorization: `Bearer ${apiKey}` } : {}
