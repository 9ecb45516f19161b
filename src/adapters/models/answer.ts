import { InvalidResponseDataError, JSONParseError } from '@ai-sdk/provider'
import type { Usage } from '../../chat/entry.ts'
import { MAX_CALLS_PER_STEP } from '../../toolbox/tool-call.ts'
import { ModelError, type ReportedSoFar } from '../../turns/ports.ts'
import { BodyEvents } from './body-events.ts'
import { ProviderError } from './errors.ts'
import { countIn, isSaid, listIn, messageIn, objectIn, textIn, type Fields } from './loose.ts'

/** How one kind of server writes its answers. Made anew for each answer, so it may remember events. */
export interface Dialect<Event extends object = object> {
  /** A field that each event of an answer has. Others are a gateway's own, or an error. */
  readonly field: string
  /** The event with only the fields that are used, as its readers expect them; empty skips it. */
  read(event: Fields): readonly Event[]
  /** Events to add when the body has ended; `isWhole` after `[DONE]`, which some servers send as the only end. */
  end?(isWhole: boolean): readonly Event[]
  /** Tokens of the whole request so far; undefined if the event tells none. */
  usage(event: Fields): ReportedSoFar | undefined
}

export interface Answer {
  /** True once the provider has begun to answer: then it has read the prompt, which costs. */
  begun: boolean
  usage?: ReportedSoFar
  /** Why the body ended early. */
  failure?: unknown
}

/**
 * `fetch` for one request of an SDK. An SDK refuses a whole answer for one odd field, so it sees only events
 * that `dialect` rebuilt. A failure is kept in the answer and the body ends normally: else an SDK loses the
 * last text before it.
 */
export function openAnswer(dialect: Dialect, send: typeof fetch): Answer & { readonly fetch: typeof fetch } {
  const answer: Answer & { fetch: typeof fetch } = {
    begun: false,
    async fetch(input, init) {
      const response = await send(input, init)
      if (!response.ok || !response.body) return response
      answer.begun = true
      const headers = { 'content-type': 'text/event-stream' }
      return new Response(ReadableStream.from(forSdk(response.body, dialect, answer)), { headers })
    },
  }
  return answer
}

async function* forSdk(
  body: ReadableStream<Uint8Array>,
  dialect: Dialect,
  answer: Answer,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  try {
    for await (const event of readAnswer(body, dialect, answer))
      yield encoder.encode(`data: ${JSON.stringify(event)}\n\n`)
  } catch (error) {
    answer.failure = error
  }
}

/**
 * Yields the events that `dialect` knows, and notes what they report in `answer`. Throws `ProviderError` for
 * the server's own errors, `JSONParseError` if the body is no answer, or the error of the body.
 */
export async function* readAnswer<Event extends object>(
  body: ReadableStream<Uint8Array>,
  dialect: Dialect<Event>,
  answer: Answer,
): AsyncGenerator<Event> {
  const events = new BodyEvents()
  let isAnswer = false
  let unknown: Fields = {}
  for await (const event of events.read(body)) {
    const usage = dialect.usage(event)
    if (usage) answer.usage = { ...answer.usage, ...usage }
    const error = errorIn(event, dialect)
    if (error) {
      answer.begun = isAnswer
      throw new ProviderError(error)
    }
    if (!isObject(listIn(event[dialect.field])[0])) unknown = event
    const known = dialect.read(event)
    isAnswer ||= known.length > 0 || isObject(listIn(event[dialect.field])[0])
    if (known.length > 0) events.bytesWithoutUse = 0
    for (const one of known) yield one
  }
  if (!isAnswer) {
    if (messageIn(unknown)) throw new ProviderError(unknown)
    throw new JSONParseError({ text: '', cause: 'no event of an answer' })
  }
  for (const one of dialect.end?.(events.saysDone) ?? []) yield one
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const FAILURE = /^(?:error|fail|failed|failure)$/i

/**
 * Anthropic and vLLM name the type, most others have an `error`, FastAPI a `detail`, gateways a status, and
 * OpenRouter's is in the first choice.
 */
function errorIn(event: Fields, { field }: Pick<Dialect, 'field'>): Fields | undefined {
  const part = listIn(event[field])[0]
  if (isSaid(objectIn(part)['error'])) return objectIn(part)
  if (isSaid(event['error']) || isSaid(event['errors'])) return event
  if (['type', 'object', 'status'].some((key) => FAILURE.test(textIn(event[key]) ?? ''))) return event
  const status = countIn(event['code']) ?? countIn(event['status']) ?? 0
  const isFailure = isSaid(event['detail']) || event['success'] === false || status >= 400
  return isFailure && !isObject(part) ? event : undefined
}

/** Adds a call of an answer. Throws `ModelError` for more than a turn runs, so that the rest is not read. */
export function addCall<Call>(calls: Call[], call: Call): void {
  if (calls.length >= MAX_CALLS_PER_STEP) {
    const words = `it asked for more than ${MAX_CALLS_PER_STEP} tools at once; it was stopped`
    throw new ModelError(words, false, {}, { begun: true })
  }
  calls.push(call)
}

export const cutOff = (): InvalidResponseDataError =>
  new InvalidResponseDataError({ data: undefined, message: 'the stream ended without an end' })

/** Empty if one of the counts is absent. */
export function usageOf({ input, cached, output }: ReportedSoFar = {}): { usage?: Usage } {
  if (input === undefined || output === undefined) return {}
  return { usage: { input, output, ...(cached && cached <= input ? { cached } : {}) } }
}

export function reportOf(counts: {
  readonly [Key in keyof ReportedSoFar]: number | undefined
}): ReportedSoFar {
  const { input, cached, output } = counts
  return {
    ...(input === undefined ? {} : { input }),
    ...(input !== undefined && cached && cached <= input ? { cached } : {}),
    ...(output === undefined ? {} : { output }),
  }
}
