import type { APICallError } from '@ai-sdk/provider'
import { duration } from '../../../lib/duration.ts'
import type { ModelAccess } from '../provider.ts'
import { jsonIn, messageIn } from '../loose.ts'
import { safe, type Upstream } from './upstream.ts'

/** What went wrong, in a sentence for people without the model's name. */
export interface Explanation {
  readonly sentence: string
  /** Whether the same request may succeed later, and in how many milliseconds, if the provider told that. */
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/** The same request would fail again. */
export const final = (sentence: string): Explanation => ({ sentence, retryable: false })

/** The same request may succeed later. */
export const passing = (sentence: string): Explanation => ({ sentence, retryable: true })

/** Explains an answer with this status, which is no answer of a model. */
export function explainStatus(status: number, call: APICallError, upstream: Upstream): Explanation {
  const { access, endpoint } = upstream
  const quoted = quotedFrom(call, upstream)
  if (status < 300) return final(`${endpoint} answers with status ${status} and nothing else; check endpoint`)
  if (status < 400)
    return final(
      `${endpoint} answers with a redirect (status ${status}), which is not followed; check endpoint`,
    )
  if (status === 401 || status === 403) return final(`${keySentence(access)}${quoted}`)
  if (status === 404)
    return final(`${endpoint} knows no model called ${access.model}; check model and endpoint${quoted}`)
  if (status === 429) return explainLimit(call, quoted)
  if (status >= 500)
    return {
      ...passing(`the provider failed with status ${status}; try again ${whenIn(call)}${quoted}`),
      ...retryAfter(call),
    }
  return final(`the provider refused the request with status ${status}${quoted}`)
}

/** OpenAI's code for an account without credit, which comes with status 429 (platform.openai.com/docs/guides/error-codes). */
const NO_CREDIT = /insufficient_quota/

function explainLimit(call: APICallError, quoted: string): Explanation {
  if (NO_CREDIT.test(call.responseBody ?? ''))
    return final(`the provider's account has no credit left; check its plan and billing${quoted}`)
  return {
    ...passing(`the provider's limit of requests is reached; try again ${whenIn(call)}${quoted}`),
    ...retryAfter(call),
  }
}

function whenIn(call: APICallError): string {
  const { retryAfterMs } = retryAfter(call)
  return retryAfterMs === undefined ? 'in a while' : `in ${duration(retryAfterMs)}`
}

/** What `Retry-After` says, in seconds or as a date (RFC 9110, 10.2.3). */
function retryAfter({ responseHeaders }: APICallError): Pick<Explanation, 'retryAfterMs'> {
  const said = responseHeaders?.['retry-after']?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - Date.now()
  return ms > 0 ? { retryAfterMs: ms } : {}
}

/** What the provider said, in brackets after a sentence of ours; nothing where it said nothing. */
function quotedFrom({ message, responseBody = '' }: APICallError, upstream: Upstream): string {
  const said = safe(messageIn(jsonIn(responseBody)) ?? message, upstream, 300)
  return said && said !== 'Failed to process error response' ? ` (${said})` : ''
}

function keySentence({ apiKey, apiKeyEnv }: ModelAccess): string {
  if (!apiKeyEnv) return 'the provider wants a key; name its variable with api_key_env in the config'
  if (!apiKey) return `the provider wants a key; set the environment variable ${apiKeyEnv} (api_key_env)`
  return `the provider refused the key in ${apiKeyEnv} (api_key_env); check it`
}
