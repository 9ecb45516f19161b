import type { JsonObject } from '../base/json.ts'
import type { Usage } from '../words/entry.ts'
import { cleanLine } from '../base/text/clean-text.ts'
import { MAX_CALLS_PER_STEP, type ToolCall } from '../wrap/toolbox/index.ts'
import type { FinishReason, ModelEvent, PartialUsage, Thought } from '../wrap/loop/index.ts'
import { BodyEvents, BrokenAnswer } from './body-events.ts'
import { errorOfEvent } from './errors.ts'
import { LimitError } from './fetch.ts'
import { asCount, isObject, hasContent, asList, errorText, asObject, asText, type Fields } from './loose.ts'

/** The answer format of one kind of server. Created for each answer, because it may remember events. */
export interface Dialect {
  /** A field that every event of an answer has. Events without it are errors or a gateway's own. */
  readonly field: string
  /** Yields the pieces of an event; nothing for unknown events or parts. */
  read(event: Fields): Iterable<Piece>
  /** Returns the tokens of the whole request so far. Values that are not counts are ignored. */
  usage(event: Fields): { readonly [Key in keyof PartialUsage]: unknown }
}

export interface Piece {
  readonly text?: string
  /** Pieces with the same ID form one thought. */
  readonly thought?: Partial<Thought> & { readonly id?: string | number }
  readonly call?: CallPiece
  /** Data that the provider expects back with the text of the answer in the next request. */
  readonly textData?: JsonObject
  /** The server's reason why the answer ended. An empty reason also marks the answer as complete. */
  readonly end?: string
}

/** `isWhole` is true if no other piece belongs to the call. */
type CallPiece = Partial<ToolCall> & { readonly index?: number; readonly isWhole?: boolean }

/**
 * Yields an answer's events. Calls come at the end, because a truncated answer may contain half a call.
 * Throws `ProviderError` for the server's own errors, `BrokenAnswer` for an incomplete answer, or the error
 * of the body. Sets `progress.begun` when the provider has read the prompt, which costs.
 */
export async function* readAnswer(
  body: ReadableStream<Uint8Array>,
  dialect: Dialect,
  progress: { begun: boolean },
): AsyncGenerator<ModelEvent> {
  const events = new BodyEvents()
  const calls = new Calls()
  const thoughts = new Map<unknown, Thought>()
  let usage: PartialUsage = {}
  let isAnswer = false
  let unknown: Fields = {}
  let end: string | undefined
  for await (const event of events.read(body)) {
    const counts = Object.entries(dialect.usage(event)).flatMap(([key, value]) => {
      const count = asCount(value)
      return count === undefined ? [] : [[key, count] as const]
    })
    if (counts.length > 0) {
      usage = { ...usage, ...Object.fromEntries(counts) }
      yield { type: 'reported', usage }
    }
    const error = findError(event, dialect)
    if (error) {
      progress.begun = isAnswer
      throw errorOfEvent(error)
    }
    const isKnown = isObject(asList(event[dialect.field])[0])
    if (!isKnown) unknown = event
    isAnswer ||= isKnown
    for (const { text, thought, call, textData, end: word } of dialect.read(event)) {
      isAnswer = true
      events.bytesWithoutUse = 0
      if (text) yield { type: 'text', text }
      if (thought?.text) yield { type: 'thinking', text: thought.text }
      if (thought) {
        // A provider may send its data for a thought with any piece of the thought.
        const { text: before = '', providerData } = thoughts.get(thought.id) ?? {}
        const data = thought.providerData ?? providerData
        thoughts.set(thought.id, { text: before + (thought.text ?? ''), ...(data && { providerData: data }) })
      }
      if (call) calls.add(call)
      if (textData) yield { type: 'text-data', providerData: textData }
      if (word !== undefined) end = word || end || ''
      if (MALFORMED.test(end ?? '')) {
        const message = `it could not read what the model wrote (${end})`
        throw errorOfEvent({ message, status: 503 })
      }
    }
  }
  if (!isAnswer && errorText(unknown)) throw errorOfEvent(unknown)
  if (!isAnswer) throw new BrokenAnswer(hasContent(unknown) ? JSON.stringify(unknown) : '')
  if (events.saysDone) end ??= ''
  if (end === undefined) throw new BrokenAnswer()
  for (const thought of thoughts.values()) yield { type: 'thought', thought }
  const made = calls.all()
  for (const call of made) yield { type: 'call', call }
  yield { type: 'finish', ...endOf(end, made.length > 0), ...usageOf(usage) }
}

/** Reasons of Gemini, its OpenAI-compatible server and Bedrock after which a retry may succeed. */
const MALFORMED = /malformed_|unexpected_tool_call/i

const FAILURE = /^(?:error|fail|failed|failure)$/i

/**
 * Returns the error in an event: Anthropic and vLLM name the type, most others have an `error`, FastAPI a
 * `detail`, gateways a status; OpenRouter puts its error into the first choice.
 */
function findError(event: Fields, { field }: Pick<Dialect, 'field'>): Fields | undefined {
  const part = asList(event[field])[0]
  if (hasContent(asObject(part)['error'])) return asObject(part)
  if (hasContent(event['error']) || hasContent(event['errors'])) return event
  if (['type', 'object', 'status'].some((key) => FAILURE.test(asText(event[key]) ?? ''))) return event
  const status = asCount(event['code']) ?? asCount(event['status']) ?? 0
  const isFailure = hasContent(event['detail']) || event['success'] === false || status >= 400
  return isFailure && !isObject(part) ? event : undefined
}

/** Lower-case reasons of all protocols, because gateways pass on the reasons of other servers. */
const ENDS: Readonly<Record<string, FinishReason['reason']>> = {
  '': 'stop',
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_calls: 'calls',
  function_call: 'calls',
  tool_use: 'calls',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_context_window_exceeded: 'window',
  model_length: 'window',
  content_filter: 'refused',
  refusal: 'refused',
  safety: 'refused',
  recitation: 'refused',
  sensitive: 'refused',
  insufficient_system_resource: 'refused',
  blocklist: 'refused',
  prohibited_content: 'refused',
  spii: 'refused',
  image_safety: 'refused',
}

/** More reasons of incomplete answers, as Z.ai's `network_error` and Bedrock's `content_filtered`. */
const CUT =
  /error|abort|cancel|fail|interrupt|time_?out|overload|unavailable|filter|guardrail|block|safety|moderat/i

function endOf(word: string, hasCalls: boolean): FinishReason {
  const reason = ENDS[word.toLowerCase()] ?? (CUT.test(word) ? 'refused' : 'other')
  if (reason === 'other' || reason === 'refused') return { reason, word: cleanLine(word) }
  // Some servers say "stop" even after calls.
  return { reason: reason === 'stop' && hasCalls ? 'calls' : reason }
}

function usageOf({ input, cached, output }: PartialUsage): { usage?: Usage } {
  if (input === undefined || output === undefined) return {}
  return { usage: { input, output, ...(cached && cached <= input ? { cached } : {}) } }
}

class Calls {
  readonly #calls: { -readonly [Key in keyof CallPiece]: CallPiece[Key] }[] = []

  all = (): readonly ToolCall[] =>
    this.#calls.map(({ id, name = '', arguments: text = '', providerData }, place) => ({
      id: id || `call_${place}`,
      name,
      arguments: text,
      ...(providerData && { providerData }),
    }))

  /** Throws `LimitError` for more calls than a turn runs, so that reading stops. */
  add(piece: CallPiece): void {
    const call = this.#continuedBy(piece)
    if (call) {
      call.id ||= piece.id
      call.name ||= piece.name
      call.arguments = (call.arguments ?? '') + (piece.arguments ?? '')
      call.providerData ??= piece.providerData
    } else if (this.#calls.length < MAX_CALLS_PER_STEP) this.#calls.push({ ...piece })
    else throw new LimitError('calls')
  }

  /** Finds the call that a piece continues. Some servers send one index or one ID for all calls, or none. */
  #continuedBy({ isWhole, id, index, name }: CallPiece) {
    if (isWhole) return undefined
    if (!id && index === undefined) return name ? undefined : this.#calls.at(-1)
    return this.#calls.findLast(
      (call) =>
        (index === undefined || call.index === index) &&
        (!id || call.id === id || (!call.id && index !== undefined)),
    )
  }
}
