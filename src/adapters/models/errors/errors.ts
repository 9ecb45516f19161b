/**
 * What went wrong with a request to a provider, in a sentence for people, and whether another request would help. This
 * folder must not know what is done about it.
 */
import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from '@ai-sdk/provider'
import { errorCode, errorMessage } from '../../../lib/errors.ts'
import { ModelError, type ModelRefusal } from '../../../turns/model-error.ts'
import { LimitError } from '../guarded-fetch.ts'
import { explainStatus, final, passing, type Explanation } from './explain-status.ts'
import { countIn, messageIn, objectIn } from '../loose.ts'
import { parseRateRefusal, parseRefusal } from './refusals.ts'
import { safe, type Upstream } from './upstream.ts'

/** A provider reported an error in the middle of its stream. The message is its own. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  /** All that it sent, as JSON. */
  readonly said: string
  /** True if the same request may succeed later. */
  readonly isPassing: boolean
  /** Takes the error as it was sent: a text, or an object of any form. */
  constructor(error: unknown) {
    const said = JSON.stringify(error)
    super(messageIn(error) ?? said)
    this.said = said
    const { type, code, status } = objectIn(error)
    const statusCode = countIn(code) ?? countIn(status) ?? 0
    this.isPassing = PASSING_TYPES.has(type) || statusCode === 429 || statusCode >= 500
  }
}

/**
 * Types of errors that Anthropic reports in a stream for what has a status of its own before it begins: 529, 429, 504 and 500
 * (docs.anthropic.com/en/api/errors, 2026-11).
 */
const PASSING_TYPES: ReadonlySet<unknown> = new Set([
  'overloaded_error',
  'rate_limit_error',
  'timeout_error',
  'api_error',
])

/**
 * Makes a `ModelError` of any failure of a provider: a sentence for people that says what to do, and facts for the log.
 * Neither holds a secret. `begun` is whether the provider had begun to answer.
 */
export function modelError(error: unknown, upstream: Upstream, begun = false): ModelError {
  if (error instanceof ModelError) return error
  const call = APICallError.isInstance(error) ? error : undefined
  const { sentence, retryable, retryAfterMs } = explain(error, call, upstream)
  const code = causes(error).map(errorCode).find(Boolean)
  const facts = {
    endpoint: upstream.endpoint,
    ...(call?.statusCode === undefined ? {} : { status: call.statusCode }),
    ...(code === undefined ? {} : { code }),
    detail: safe(call?.responseBody || errorMessage(error), upstream, 500),
  }
  const refusal = refusalOf(error, call)
  // The same request would be refused again, whatever its status says.
  const maySucceed = retryable && (!refusal || isPassingRefusal(refusal))
  return new ModelError(`${upstream.access.name}: ${sentence}`, maySucceed, facts, {
    ...(refusal ? { refusal } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // What the provider itself gave up is not known to have been read.
    begun: begun && retryable && !refusal,
  })
}

const isPassingRefusal = (refusal: ModelRefusal): boolean =>
  refusal.kind === 'too-long' && refusal.isPassing === true

/** Statuses that say nothing of the request itself, but of the key. */
const OF_THE_KEY: ReadonlySet<number | undefined> = new Set([401, 403])

function refusalOf(error: unknown, call: APICallError | undefined): ModelRefusal | undefined {
  if (OF_THE_KEY.has(call?.statusCode)) return undefined
  const said = call
    ? `${call.message}\n${call.responseBody ?? ''}`
    : error instanceof ProviderError
      ? error.said
      : undefined
  const read = call?.statusCode === 429 ? parseRateRefusal : parseRefusal
  const refusal = said === undefined ? undefined : read(said)
  // Whatever the body says, such as a page of a proxy: this status is of a request that is too large (RFC 9110, 15.5.14).
  return refusal ?? (call?.statusCode === 413 ? { kind: 'too-long' } : undefined)
}

/** The status of an answer without a body. */
const NO_CONTENT = 204

function explain(error: unknown, call: APICallError | undefined, upstream: Upstream): Explanation {
  const limit = causes(error).find((cause) => cause instanceof LimitError)
  if (limit) return limitSentence(limit)
  const code = causes(error).map(errorCode).find(Boolean)
  if (code) return networkSentence(code, upstream)
  if (call?.statusCode !== undefined && (call.statusCode >= 300 || call.statusCode === NO_CONTENT))
    return explainStatus(call.statusCode, call, upstream)
  if (InvalidResponseDataError.isInstance(error))
    return passing('the answer was cut off in the middle; ask again')
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) {
    return passing(`the server at ${upstream.endpoint} sent something that is not a model's answer`)
  }
  if (error instanceof ProviderError) {
    const sentence = `the provider reported: ${safe(error.message, upstream, 300)}`
    return { sentence, retryable: error.isPassing }
  }
  if (call) return passing('the connection broke in the middle of the answer; ask again')
  return passing(`the request failed (${safe(errorMessage(error), upstream, 200)}); ask again`)
}

function limitSentence({ limit }: LimitError): Explanation {
  if (limit === 'idleMs') return passing('the server fell silent in the middle; it was given up')
  return final('the server sent more than an answer can hold; it was stopped')
}

function networkSentence(code: string, { endpoint, advice }: Upstream): Explanation {
  const at = new URL(endpoint).origin
  if (code === 'ECONNREFUSED') return final(`nothing answers at ${at}; ${advice}`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return final(`there is no host at ${at}; check endpoint`)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code)) {
    return final(`the certificate of ${at} cannot be trusted (${code})`)
  }
  // What a proxy or a restart does is nothing that members can mend: where the server is, the log says.
  return passing('the connection to its server broke; ask again')
}

function causes(error: unknown): readonly Error[] {
  const found: Error[] = []
  for (let one = error; one instanceof Error && !found.includes(one); one = one.cause) found.push(one)
  return found
}
