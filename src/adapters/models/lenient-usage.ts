import { isJsonObject, parseJson, type Json, type JsonObject } from '../../lib/json.ts'
import { AnswerBroken } from './errors/errors.ts'
import { errorAsData } from './error-lines.ts'
import { linesOf } from './lines.ts'
import { tokenCount } from './token-count.ts'

/**
 * `fetch` for servers whose reports of usage are not as the provider's library wants them, such as numbers as
 * text: it refuses such a stream as a whole, be the answer as good as it may. A count that is none is left
 * out. Each line of an event stream is passed on when it is whole, which is when the library reads it. The
 * libraries for chat completions also refuse an event without `choices`, which says nothing of the answer: it
 * gets an empty list of them.
 */
export function readingUsage(fetchIt: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchIt(input, init)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (!response.body || !isStream) return response
    const isChat = /\/chat\/completions(?:\?|$)/.test(input instanceof Request ? input.url : String(input))
    return new Response(ReadableStream.from(repaired(response.body, isChat)), response)
  }
}

async function* repaired(body: ReadableStream<Uint8Array>, isChat: boolean): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  try {
    for await (const line of linesOf(body))
      yield encoder.encode(`${repairedLine(errorAsData(line), isChat)}\n`)
  } catch (cause) {
    // Some of the libraries wait for the first event, so that nobody else sees that there was an answer.
    throw new AnswerBroken('the answer broke off', { cause })
  }
}

/** A line that may report a usage, or is one of those in which Anthropic's library wants one. */
const MAY_REPORT = /^data:.*"(?:usage|usageMetadata|message_start|message_delta)"/
/** A line of chat completions that is no chunk, such as a price that a gateway adds at the end. */
const LACKS_CHOICES = /^data:\s*\{(?!.*"choices":\s*\[)/

function repairedLine(line: string, isChat: boolean): string {
  if (!MAY_REPORT.test(line) && !(isChat && LACKS_CHOICES.test(line))) return line
  try {
    const event = parseJson(line.slice('data:'.length))
    if (!isJsonObject(event)) return line
    const isOwn = isChat && (event['choices'] ?? null) === null && !event['error']
    return `data: ${JSON.stringify({ ...repairedEvent(event), ...(isOwn && { choices: [], error: undefined }) })}`
  } catch {
    return line
  }
}

/** No count can be as large as this: `usageOf` leaves a usage with it out. */
const UNKNOWN = Number.MAX_SAFE_INTEGER

/**
 * Anthropic's events always have a usage; those of others do where they report one (the schemas of the AI
 * SDK's providers).
 */
function repairedEvent(event: JsonObject): JsonObject {
  const { type, message } = event
  if (type === 'message_start' && isJsonObject(message))
    return { ...event, message: { ...message, usage: withCount(message['usage'], 'input_tokens') } }
  if (type === 'message_delta') return { ...event, usage: withCount(event['usage'], 'output_tokens') }
  const reports = ['usage', 'usageMetadata'].filter((key) => key in event)
  return { ...event, ...Object.fromEntries(reports.map((key) => [key, reportOf(event[key])])) }
}

const withCount = (usage: Json | undefined, key: string): JsonObject => ({
  [key]: UNKNOWN,
  ...reportOf(usage),
})

/** The counts that make a report. Where one of them cannot be read, the libraries would take it for 0. */
const MAIN_COUNTS = [
  'prompt_tokens',
  'completion_tokens',
  'input_tokens',
  'output_tokens',
  'promptTokenCount',
  'candidatesTokenCount',
]

function reportOf(usage: Json | undefined): JsonObject | null {
  if (!isJsonObject(usage)) return null
  const report = repairedReport(usage)
  return MAIN_COUNTS.some((key) => key in usage && !(key in report)) ? null : report
}

/** Names of counts: `prompt_tokens`, `cache_read_input_tokens`, `promptTokenCount`. */
const COUNT = /(?:tokens|TokenCount)$/

function repairedReport(usage: JsonObject): JsonObject {
  const entries = Object.entries(usage).flatMap(([key, value]): [string, Json][] => {
    if (isJsonObject(value)) return COUNT.test(key) ? [] : [[key, repairedReport(value)]]
    // Lists, such as Gemini's counts by modality, are not read here.
    if (Array.isArray(value)) return []
    const { data: count } = tokenCount.safeParse(value)
    if (count !== undefined) return [[key, count]]
    return COUNT.test(key) || typeof value !== 'string' ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}
