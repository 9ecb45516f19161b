import { InvalidResponseDataError, JSONParseError } from '@ai-sdk/provider'
import type { Usage } from '../../chat/entry.ts'
import type { ReportedSoFar } from '../../turns/ports.ts'
import { ProviderError } from './errors.ts'
import { jsonIn, listIn, objectIn, type Fields } from './loose.ts'

/** How one kind of server writes its answers. Made anew for each answer, so it may remember events. */
export interface Dialect<Event extends object = object> {
  /** The event with only the fields that are used, as its reader expects them; undefined skips it. */
  read(event: Fields): Event | undefined
  /** An event to add when the body has ended. */
  end?(): Event | undefined
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
  let isAnswer = false
  for await (const event of eventsIn(body)) {
    const usage = dialect.usage(event)
    if (usage) answer.usage = { ...answer.usage, ...usage }
    if (isError(event)) {
      answer.begun = isAnswer
      throw new ProviderError(event['error'] || event)
    }
    const known = dialect.read(event)
    if (!known) continue
    isAnswer = true
    yield known
  }
  if (!isAnswer) throw new JSONParseError({ text: '', cause: 'no event of an answer' })
  const last = dialect.end?.()
  if (last) yield last
}

/** Anthropic and vLLM name the type, most others have an `error`, and FastAPI sends a `detail` alone. */
const isError = (event: Fields): boolean =>
  Boolean(event['error']) ||
  event['type'] === 'error' ||
  event['object'] === 'error' ||
  ('detail' in event && Object.keys(event).length === 1)

export const cutOff = (): InvalidResponseDataError =>
  new InvalidResponseDataError({ data: undefined, message: 'the stream ended without an end' })

/**
 * The JSON objects in a body: `data` fields of an event stream, lines of JSON, or one JSON text. Skips
 * comments, `[DONE]` and HTML. Throws `JSONParseError` for broken JSON.
 */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Fields> {
  // An event may have several `data` fields, whose texts belong together.
  let parts: string[] = []
  for await (const line of linesIn(body)) {
    // llama.cpp before October 2025 wrote an error into a field of its own (tools/server/server.cpp).
    const field = /^(data|error):\s*(?=\S)/.exec(line)
    const text = field ? line.slice(field[0].length) : line
    if (line === '') {
      if (parts.length > 0) yield* parse(parts.join('\n'))
      parts = []
    } else if (field?.[1] === 'data' && text !== '[DONE]') {
      const whole = parts.length === 0 ? tryParse(text) : undefined
      if (whole) yield* whole
      else parts.push(text)
    } else if (/^[{[]/.test(text) && text !== '[DONE]') {
      const found = parse(text)
      yield* field ? found.map((error) => (error['error'] ? error : { error })) : found
    }
  }
}

function parse(text: string): readonly Fields[] {
  const found = tryParse(text)
  if (!found) throw new JSONParseError({ text: text.slice(0, 500), cause: 'broken JSON' })
  return found
}

function tryParse(text: string): readonly Fields[] | undefined {
  const value = jsonIn(text)
  return value === undefined ? undefined : listIn(value).map(objectIn)
}

/** `limitedFetch` bounds the length of a line. */
async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.trim()
  }
  rest += decoder.decode()
  if (rest !== '') yield rest.trim()
}

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
