/**
 * Explains a failed request in a sentence for people, and says if another request may succeed. It does not
 * decide what is done about it.
 */
import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from '@ai-sdk/provider'
import { duration } from '../../lib/amounts.ts'
import { errorCode, errorMessage } from '../../lib/errors.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { ModelError, type ModelRefusal } from '../../turns/ports.ts'
import { LimitError } from './fetch.ts'
import { countIn, isSaid, jsonIn, messageIn, objectIn, textIn, type Fields } from './loose.ts'
import type { ModelAccess } from './provider.ts'
import { parseRateRefusal, parseRefusal } from './refusals.ts'
import { partNamedIn, type SentRequest } from './refused-parts.ts'

export interface Target {
  readonly access: ModelAccess
  readonly endpoint: string
  /** What an admin should look at if nothing answers there. */
  readonly advice: string
}

/** A provider reported an error within its stream. The message is its own. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly said: string
  readonly isPassing: boolean
  /** `event` says it in any form that `messageIn` knows. */
  constructor(event: Fields) {
    const { error = event } = event
    const said = JSON.stringify(isSaid(error) && typeof error !== 'boolean' ? error : event)
    super(messageIn(event) ?? said)
    this.said = said
    const { type, code, status } = { ...event, ...objectIn(error) }
    const statusCode = countIn(code) ?? countIn(status) ?? 0
    this.isPassing =
      [type, code, status].some((word) => PASSING.test(textIn(word) ?? '')) || isPassing(statusCode)
  }
}

/** Names of errors within a stream, of Anthropic (docs.anthropic.com/en/api/errors, 2026-11) and OpenAI. */
const PASSING =
  /^(?:overloaded|rate_limit|timeout|api|server|internal_server|service_unavailable)(?:_error|_exceeded)?$/

const isPassing = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500

/**
 * Makes a `ModelError` of any failure: a sentence for people, and facts for the log, neither with a secret.
 * `begun`: the provider had begun to answer. `sent` is what it may have refused a part of.
 */
export function toModelError(
  error: unknown,
  target: Target,
  begun = false,
  sent: SentRequest = {},
): ModelError {
  if (error instanceof ModelError) return error
  const call = APICallError.isInstance(error) ? error : undefined
  const { sentence, retryable, retryAfterMs } = explain(error, call, target)
  const code = causes(error).map(errorCode).find(Boolean)
  const isEndless = causes(error).some((cause) => cause instanceof LimitError)
  const facts = {
    endpoint: target.endpoint,
    ...(call?.statusCode === undefined ? {} : { status: call.statusCode }),
    ...(code === undefined ? {} : { code }),
    detail: redact(call?.responseBody || errorMessage(error), target, 500),
  }
  const refusal = withWords(refusalOf(error, call, sent), error, call, target)
  // The same request would be refused again, whatever its status says.
  const isPassing = refusal?.kind === 'too-long' && refusal.isPassing === true
  const maySucceed = retryable && (!refusal || isPassing)
  return new ModelError(`${target.access.name}: ${sentence}`, maySucceed, facts, {
    ...(refusal ? { refusal } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // What the provider itself gave up is not known to have been read.
    begun: begun && (retryable || isEndless) && !refusal,
  })
}

function refusalOf(
  error: unknown,
  call: APICallError | undefined,
  sent: SentRequest,
): ModelRefusal | undefined {
  if (call?.statusCode === 401 || call?.statusCode === 403) return undefined
  const said = call
    ? `${call.message}\n${call.responseBody ?? ''}`
    : error instanceof ProviderError
      ? error.said
      : undefined
  const read = call?.statusCode === 429 ? parseRateRefusal : parseRefusal
  const isBadRequest = call ? [400, 422].includes(call.statusCode ?? 0) : !isTransientError(error)
  const refusal =
    said === undefined ? undefined : (read(said) ?? (isBadRequest ? partNamedIn(said, sent) : undefined))
  // This status is of a request that is too large (RFC 9110, 15.5.14), whatever a proxy's page says.
  return refusal ?? (call?.statusCode === 413 ? { kind: 'too-long' } : undefined)
}

const isTransientError = (error: unknown): boolean => error instanceof ProviderError && error.isPassing

/** The refusal with what the provider said, for people. */
function withWords(
  refusal: ModelRefusal | undefined,
  error: unknown,
  call: APICallError | undefined,
  target: Target,
): ModelRefusal | undefined {
  if (!refusal || refusal.kind === 'too-long') return refusal
  const words = call
    ? quotedFrom(call, target).replace(/^ \(|\)$/g, '')
    : redact(errorMessage(error), target, 300)
  return words === '' ? refusal : { ...refusal, words }
}

const NO_CONTENT = 204

function explain(error: unknown, call: APICallError | undefined, target: Target): Explanation {
  const limit = causes(error).find((cause) => cause instanceof LimitError)
  if (limit?.limit === 'idleMs') return transient('the server fell silent in the middle; it was given up')
  if (limit) return permanent('the server sent more than an answer can hold; it was stopped')
  const code = causes(error).map(errorCode).find(Boolean)
  if (code) return networkSentence(code, target)
  if (call?.statusCode !== undefined && (call.statusCode >= 300 || call.statusCode === NO_CONTENT))
    return explainStatus(call.statusCode, call, target)
  if (InvalidResponseDataError.isInstance(error))
    return transient('the answer was cut off in the middle; ask again')
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) {
    const text = 'text' in error ? error.text : ''
    if (PAGE.test(text)) return permanent(`${target.endpoint} sent ${A_PAGE}; check endpoint`)
    const quoted = isSaid(text) && !/^\s*[[{]/.test(text) ? ` (${redact(text, target, 100)})` : ''
    return transient(`the server at ${target.endpoint} sent something that is not a model's answer${quoted}`)
  }
  if (error instanceof ProviderError) {
    const sentence = `the provider reported: ${redact(error.message, target, 300)}`
    return { sentence, retryable: error.isPassing }
  }
  if (call) return transient('the connection broke in the middle of the answer; ask again')
  return transient(`the request failed (${redact(errorMessage(error), target, 200)}); ask again`)
}

function networkSentence(code: string, { endpoint, advice }: Target): Explanation {
  const at = new URL(endpoint).origin
  if (code === 'ECONNREFUSED') return permanent(`nothing answers at ${at}; ${advice}`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return permanent(`there is no host at ${at}; check endpoint`)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code)) {
    return permanent(`the certificate of ${at} cannot be trusted (${code})`)
  }
  // A broken connection is nothing that people can mend. The log says where the server is.
  return transient('the connection to its server broke; ask again')
}

function causes(error: unknown): readonly Error[] {
  const found: Error[] = []
  for (let one = error; one instanceof Error && !found.includes(one); one = one.cause) found.push(one)
  return found
}

interface Explanation {
  readonly sentence: string
  /** `retryAfterMs` is what the provider asked for. */
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

const permanent = (sentence: string): Explanation => ({ sentence, retryable: false })

const transient = (sentence: string): Explanation => ({ sentence, retryable: true })

function explainStatus(status: number, call: APICallError, target: Target): Explanation {
  const { access, endpoint } = target
  const quoted = quotedFrom(call, target)
  if (status < 300)
    return permanent(`${endpoint} answers with status ${status} and nothing else; check endpoint`)
  if (status < 400)
    return permanent(
      `${endpoint} answers with a redirect (status ${status}), which is not followed; check endpoint`,
    )
  // Gemini refuses a wrong key with status 400.
  if (status === 401 || status === 403 || /API key not valid/i.test(quoted))
    return permanent(`${keySentence(access)}${quoted}`)
  if (status < 500 && ONLY_RESPONSES.test(quoted))
    return permanent(
      `${access.model} is only for the Responses API; set backend = "openai" and api = "responses"${quoted}`,
    )
  if (status === 404)
    return permanent(`${endpoint} knows no model called ${access.model}; check model and endpoint${quoted}`)
  if (status < 500 && NO_CREDIT.test(call.responseBody ?? ''))
    return permanent(`the provider's account has no credit left; check its plan and billing${quoted}`)
  if (!isPassing(status)) return permanent(`the provider refused the request with status ${status}${quoted}`)
  const what =
    status === 429
      ? "the provider's limit of requests is reached"
      : `the provider failed with status ${status}`
  const later = retryAfter(call)
  const when = later.retryAfterMs === undefined ? 'in a while' : `in ${duration(later.retryAfterMs)}`
  return { ...transient(`${what}; try again ${when}${quoted}`), ...later }
}

/** Of an account without credit: OpenAI (platform.openai.com/docs/guides/error-codes), Anthropic with status 400. */
const NO_CREDIT = /insufficient_quota|credit balance is too low/i

/** OpenAI, status 404. */
const ONLY_RESPONSES = /only supported in v1\/responses/

/** In seconds or as a date (RFC 9110, 10.2.3); Gemini's `RetryInfo` is in its error (google.rpc, error_details.proto). */
function retryAfter({ responseHeaders, responseBody = '' }: APICallError): Pick<Explanation, 'retryAfterMs'> {
  const said =
    responseHeaders?.['retry-after']?.trim() ||
    /"retryDelay":\s{0,9}"([\d.]{1,9})s"/.exec(responseBody)?.[1] ||
    ''
  const ms = /^\d{1,9}(?:\.\d{1,9})?$/.test(said)
    ? Math.ceil(Number(said) * 1_000)
    : Date.parse(said) - Date.now()
  return ms > 0 ? { retryAfterMs: ms } : {}
}

const PAGE = /^\s*<(?:!doctype|html|head|body|\?xml)\b/i

const A_PAGE = "a web page, not a model's answer"

function quotedFrom({ message, responseBody = '' }: APICallError, target: Target): string {
  if (PAGE.test(responseBody)) return ` (${A_PAGE})`
  const isJson = /^\s*[{[]/.test(responseBody)
  const words = isJson ? messageIn(jsonIn(responseBody)) : responseBody.trim()
  const said = redact(words || message, target, 300)
  return said && said !== 'Failed to process error response' ? ` (${said})` : ''
}

function keySentence({ apiKey, apiKeyEnv, headerEnv = {}, headers = {} }: ModelAccess): string {
  const [header, headerVariable] = Object.entries(headerEnv)[0] ?? []
  const value = apiKeyEnv ? apiKey : header && headers[header]
  const variable = apiKeyEnv
    ? `${apiKeyEnv} (api_key_env)`
    : headerVariable && `${headerVariable} (header_env)`
  if (!variable) return 'the provider wants a key; name its variable with api_key_env in the config'
  if (!value) return `the provider wants a key; set the environment variable ${variable}`
  return `the provider refused the key in ${variable}; check it`
}

/**
 * A provider's text on one line. Providers quote the key that they were given, in part or whole, so whatever
 * looks like a key is taken out.
 */
function redact(text: string, { access }: Target, length: number): string {
  const secrets = [access.apiKey, ...Object.values(access.headers ?? {})]
  const hidden = secrets.reduce<string>(
    (said, secret) => (secret && !DUMMY_KEY.test(secret) ? said.replaceAll(secret, '[key]') : said),
    text,
  )
  return cleanLine(
    hidden.slice(0, 4 * length).replace(/\b(?:sk|pk|key|AIza)[-_A-Za-z0-9*.]{8,}/g, '[key]'),
  ).slice(0, length)
}

/** Servers without keys want one nevertheless. It is a word of their texts rather than a secret. */
const DUMMY_KEY =
  /^(?:.{1,5}|ollama|lm-?studio|llama-?cpp|not-?needed|no-?key(?:-?required)?|sk-no-key-required|dummy-?key|placeholder)$/i
