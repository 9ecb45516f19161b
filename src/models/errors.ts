// Explains a failed request in a sentence for people, and decides if a retry may succeed.
import { duration } from '../base/amounts.ts'
import { errorCode, errorMessage } from '../base/errors.ts'
import { cleanLine } from '../base/text/clean-text.ts'
import { MAX_CALLS_PER_STEP } from '../wrap/toolbox/index.ts'
import { ModelError, type ModelRefusal } from '../wrap/loop/index.ts'
import { BrokenAnswer } from './body-events.ts'
import { LimitError } from './fetch.ts'
import { asCount, hasContent, parseIfJson, errorText, asObject, asText, type Fields } from './loose.ts'
import type { ModelAccess } from './provider.ts'
import {
  isModelSlip,
  parseOutputRefusal,
  parsePictureRefusal,
  parseRateRefusal,
  parseRefusal,
} from './refusals.ts'
import { findRefusedPart, sentOutput, findRefusedIds } from './refused-parts.ts'

export interface Target {
  readonly access: ModelAccess
  readonly endpoint: string
  /** Advice to an admin if nothing answers at the endpoint. */
  readonly advice: string
}

export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly reply: Reply
  constructor(message: string, reply: Reply) {
    super(message)
    this.reply = reply
  }
}

interface Reply {
  /** The whole text of the answer. */
  readonly said: string
  /** Undefined for an event of a stream. */
  readonly status?: number
  readonly isPassing: boolean
  readonly retryAfterMs?: number | undefined
}

/** `event` has an error in any form that `errorText` knows. */
export function errorOfEvent(event: Fields): ProviderError {
  const { error = event } = event
  const said = JSON.stringify(hasContent(error) && typeof error !== 'boolean' ? error : event)
  const { type, code, status } = { ...event, ...asObject(error) }
  const isKnown = [type, code, status].some((word) => PASSING.test(asText(word) ?? ''))
  const hasStatus = isTransientStatus(asCount(code) ?? asCount(status) ?? 0)
  const mayPass = isKnown || hasStatus || isModelSlip(said)
  return new ProviderError(errorText(event) ?? said, { said, isPassing: mayPass })
}

/** Retryable errors within a stream, of Anthropic (docs.anthropic.com/en/api/errors, 2026-11) and OpenAI. */
const PASSING =
  /^(?:overloaded|rate_limit|timeout|api|server|internal_server|service_unavailable)(?:_error|_exceeded)?$/

const isTransientStatus = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500

export function errorOfResponse({ status, statusText, headers }: Response, said: string): ProviderError {
  const value = /^\s*[{[]/.test(said) ? parseIfJson(said) : said.trim()
  const words = errorText(value) ?? (hasContent(value) ? said : statusText)
  return new ProviderError(PAGE.test(said) ? A_PAGE : words, {
    said,
    status,
    isPassing: (isTransientStatus(status) || isModelSlip(said)) && !NO_CREDIT.test(said),
    retryAfterMs:
      retryAfter(headers.get('retry-after-ms') ?? '', 1) ??
      retryAfter(headers.get('retry-after') || RETRY_DELAY.exec(said)?.[1] || ''),
  })
}

const PAGE = /^\s*<(?:!doctype|html|head|body|\?xml)\b/i

const A_PAGE = "a web page, not a model's answer"

/** OpenAI (platform.openai.com/docs/guides/error-codes); Anthropic sends it with status 400. */
const NO_CREDIT = /insufficient_quota|credit balance is too low/i

/** Gemini's delay before a retry (google.rpc, error_details.proto). */
const RETRY_DELAY = /"retryDelay":\s{0,9}"([\d.]{1,9})s"/

/** Returns milliseconds for a number of units or a date (RFC 9110, 10.2.3). */
function retryAfter(said: string, unitMs = 1_000): number | undefined {
  const isNumber = /^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(said)
  const ms = isNumber ? Math.ceil(Number(said) * unitMs) : Date.parse(said) - Date.now()
  return ms > 0 ? ms : undefined
}

/**
 * Converts any failure to a `ModelError`: a sentence for people and facts for the log, both without secrets.
 * `begun`: the provider had begun to answer. `sent`: the request, to find a refused part in it.
 */
export function toModelError(
  error: unknown,
  target: Target,
  begun = false,
  sent: Fields = {},
  hasPictures = false,
): ModelError {
  if (error instanceof ModelError) return error
  const reply = error instanceof ProviderError ? error.reply : undefined
  const words = redact(errorMessage(error), target, 300)
  const code = causes(error).map(errorCode).find(Boolean)
  const limit = causes(error).find((cause) => cause instanceof LimitError)
  const [sentence, isPassing] =
    (limit && explainLimit(limit)) ?? (code ? explainCode(code, target) : explain(error, words, target))
  const facts = {
    endpoint: target.endpoint,
    ...(reply?.status ? { status: reply.status } : {}),
    ...(code ? { code } : {}),
    detail: redact((reply?.status && reply.said) || errorMessage(error), target, 500),
  }
  const refusal = reply && refusalOf(reply, words, sent, hasPictures)
  // The provider would refuse the same request again, even if its status allows a retry.
  const maySucceed = isPassing && (!refusal || (refusal.kind === 'too-long' && refusal.isPassing === true))
  return new ModelError(`${target.access.name}: ${sentence}`, maySucceed, facts, {
    ...(refusal ? { refusal } : {}),
    ...(reply?.retryAfterMs ? { retryAfterMs: reply.retryAfterMs } : {}),
    // If the provider itself gave up, it may not have read the prompt.
    begun: begun && (isPassing || limit !== undefined) && !refusal,
  })
}

function refusalOf(
  reply: Reply,
  words: string,
  sent: Fields,
  hasPictures: boolean,
): ModelRefusal | undefined {
  const { said, status, isPassing } = reply
  if (status === 401 || status === 403 || isModelSlip(said)) return undefined
  const isBadRequest = status === undefined ? !isPassing : status === 400 || status === 422
  const refusal =
    (status === 429
      ? parseRateRefusal(said)
      : ((hasPictures ? parsePictureRefusal(said) : undefined) ??
        parseOutputRefusal(said, sentOutput(sent)) ??
        parseRefusal(said))) ??
    findRefusedIds(said, sent) ??
    (isBadRequest ? findRefusedPart(said, sent) : undefined)
  // RFC 9110, 15.5.14: 413 means that the request is too large, even if a proxy's page says otherwise.
  if (!refusal) return status === 413 ? { kind: 'too-long' } : undefined
  return refusal.kind === 'too-long' || words === '' ? refusal : { ...refusal, words }
}

type Explanation = readonly [sentence: string, isPassing: boolean]

function explainLimit({ limit }: LimitError): Explanation {
  if (limit === 'idleMs')
    return ['the server stopped sending in the middle of its answer; the request was ended', true]
  if (limit === 'calls')
    return [`it called more than ${MAX_CALLS_PER_STEP} tools at once; its answer was stopped`, false]
  return ['the server sent more than an answer may have; the request was ended', false]
}

function explainCode(code: string, { endpoint, advice }: Target): Explanation {
  const at = new URL(endpoint).origin
  if (code === 'ECONNREFUSED') return [`nothing answers at ${at}; ${advice}`, false]
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return [`there is no host at ${at}; check endpoint`, false]
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code))
    return [`the certificate of ${at} cannot be trusted (${code})`, false]
  // People cannot fix a broken connection. The log has the server's address.
  return ['the connection to its server broke; ask again', true]
}

function explain(error: unknown, words: string, target: Target): Explanation {
  if (error instanceof ProviderError) {
    const { reply } = error
    const sentence = reply.status
      ? explainStatus(reply.status, reply, words, target)
      : `the provider reported: ${words}`
    return [sentence, reply.isPassing]
  }
  if (!(error instanceof BrokenAnswer)) return [`the request failed (${words}); ask again`, true]
  const { text } = error
  if (text === undefined) return ['the answer was cut off in the middle; ask again', true]
  if (PAGE.test(text)) return [`${target.endpoint} sent ${A_PAGE}; check endpoint`, false]
  const quoted = hasContent(text) ? ` (${redact(text, target, 100)})` : ''
  return [`the server at ${target.endpoint} sent something that is not a model's answer${quoted}`, true]
}

function explainStatus(status: number, reply: Reply, words: string, target: Target): string {
  const { said, retryAfterMs, isPassing } = reply
  const { access, endpoint } = target
  if (status < 300) return `${endpoint} answers with status ${status} and nothing else; check endpoint`
  if (status < 400)
    return `${endpoint} answers with a redirect (status ${status}), which is not followed; check endpoint`
  const quoted = words && ` (${words})`
  // Gemini rejects a wrong key with status 400.
  if (status === 401 || status === 403 || /API key not valid/i.test(words))
    return `${keySentence(access)}${quoted}`
  if (words.includes('only supported in v1/responses'))
    return `${access.model} is only for the Responses API; set backend = "openai" and api = "responses"${quoted}`
  if (status === 404)
    return `${endpoint} knows no model called ${access.model}; check model and endpoint${quoted}`
  if (NO_CREDIT.test(said))
    return `the provider's account has no credit left; check its plan and billing${quoted}`
  if (isModelSlip(said)) return `the provider could not read what the model wrote; ask again${quoted}`
  if (!isPassing) return `the provider refused the request with status ${status}${quoted}`
  const what =
    status === 429
      ? "the provider's limit of requests is reached"
      : `the provider failed with status ${status}`
  const when = retryAfterMs === undefined ? 'in a while' : `in ${duration(retryAfterMs)}`
  return `${what}; try again ${when}${quoted}`
}

function causes(error: unknown): readonly Error[] {
  const found: Error[] = []
  for (let one = error; one instanceof Error && !found.includes(one); one = one.cause) found.push(one)
  return found
}

function keySentence({ apiKey, apiKeyEnv, headerEnv = {}, headers = {} }: ModelAccess): string {
  const [header = '', headerVariable] = Object.entries(headerEnv)[0] ?? []
  const [variable, key, value] = apiKeyEnv
    ? [apiKeyEnv, 'api_key_env', apiKey]
    : [headerVariable, 'header_env', headers[header]]
  if (!variable) return 'the provider wants a key; name its variable with api_key_env in the config'
  if (!value) return `the provider wants a key; set the environment variable ${variable} (${key})`
  return `the provider refused the key in ${variable} (${key}); check it`
}

/** Matches keys, but not names such as `skip_special_tokens` and `key-value-store`. */
const LOOKS_SECRET = /\b(?:(?:sk|pk|key)[-_*]|AIza)(?=[-_a-z.]*[\dA-Z*])[-_A-Za-z0-9*.]{7,}/g

/** Returns one line without keys. Providers quote a request's key, so anything like a key is removed. */
function redact(text: string, { access }: Target, length: number): string {
  const secrets = [access.apiKey, ...Object.values(access.headers ?? {})]
  const hidden = secrets.reduce<string>(
    (said, secret) => (secret && !DUMMY_KEY.test(secret) ? said.replaceAll(secret, '[key]') : said),
    text,
  )
  return cleanLine(hidden.slice(0, 4 * length).replace(LOOKS_SECRET, '[key]')).slice(0, length)
}

/** Placeholder keys of servers without authentication: ordinary words in error texts, not secrets. */
const DUMMY_KEY =
  /^(?:.{1,5}|ollama|lm-?studio|llama-?cpp|not-?needed|no-?key(?:-?required)?|sk-no-key-required|dummy-?key|placeholder)$/i
