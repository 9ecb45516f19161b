import type { Usage } from '../../chat/entry.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { MAX_CALLS_PER_STEP, type ToolCall } from '../../toolbox/tool-call.ts'
import { type FinishReason, type ModelEvent, type ReportedSoFar, type Thought } from '../../turns/ports.ts'
import { BodyEvents, BrokenAnswer } from './body-events.ts'
import { errorOfEvent } from './errors.ts'
import { LimitError } from './fetch.ts'
import { countIn, isObject, isSaid, listIn, messageIn, objectIn, textIn, type Fields } from './loose.ts'

/** How one kind of server writes its answers. Made anew for each answer, so it may remember events. */
export interface Dialect {
  /** A field that each event of an answer has. Others are a gateway's own, or an error. */
  readonly field: string
  /** What an event says; nothing for an event or a part of one that is not known. */
  read(event: Fields): Iterable<Piece>
  /** Tokens of the whole request so far; what is no count is ignored. */
  usage(event: Fields): { readonly [Key in keyof ReportedSoFar]: unknown }
}

export interface Piece {
  readonly text?: string
  /** Pieces with one id make one thought. */
  readonly thought?: Partial<Thought> & { readonly id?: string | number }
  readonly call?: CallPiece
  /** The server's word for why the answer ended. It is whole after an empty word, too. */
  readonly end?: string
}

/** Whole if no other piece belongs to the call. */
type CallPiece = Partial<ToolCall> & { readonly index?: number; readonly isWhole?: boolean }

/**
 * Calls come at the end: an answer that is cut leaves half a call. Throws `ProviderError` for the server's own
 * errors, `BrokenAnswer` if the body is no whole answer, or the error of the body. `progress.begun` says that the
 * provider has read the prompt, which costs.
 */
export async function* readAnswer(
  body: ReadableStream<Uint8Array>,
  dialect: Dialect,
  progress: { begun: boolean },
): AsyncGenerator<ModelEvent> {
  const events = new BodyEvents()
  const calls = new Calls()
  const thoughts = new Map<unknown, Thought>()
  let usage: ReportedSoFar = {}
  let isAnswer = false
  let unknown: Fields = {}
  let end: string | undefined
  for await (const event of events.read(body)) {
    const counts = Object.entries(dialect.usage(event)).flatMap(([key, value]) => {
      const count = countIn(value)
      return count === undefined ? [] : [[key, count] as const]
    })
    if (counts.length > 0) {
      usage = { ...usage, ...Object.fromEntries(counts) }
      yield { type: 'reported', usage }
    }
    const error = errorIn(event, dialect)
    if (error) {
      progress.begun = isAnswer
      throw errorOfEvent(error)
    }
    const isKnown = isObject(listIn(event[dialect.field])[0])
    if (!isKnown) unknown = event
    isAnswer ||= isKnown
    for (const { text, thought, call, end: word } of dialect.read(event)) {
      isAnswer = true
      events.bytesWithoutUse = 0
      if (text) yield { type: 'text', text }
      if (thought?.text) yield { type: 'thinking', text: thought.text }
      if (thought) {
        // What the provider wants back with it may come with any of its pieces.
        const { text: before = '', providerData } = thoughts.get(thought.id) ?? {}
        const data = thought.providerData ?? providerData
        thoughts.set(thought.id, { text: before + (thought.text ?? ''), ...(data && { providerData: data }) })
      }
      if (call) calls.add(call)
      if (word !== undefined) end = word || end || ''
    }
  }
  if (!isAnswer && messageIn(unknown)) throw errorOfEvent(unknown)
  if (!isAnswer) throw new BrokenAnswer(isSaid(unknown) ? JSON.stringify(unknown) : '')
  if (events.saysDone) end ??= ''
  if (end === undefined) throw new BrokenAnswer()
  for (const thought of thoughts.values()) yield { type: 'thought', thought }
  const made = calls.all()
  for (const call of made) yield { type: 'call', call }
  yield { type: 'finish', ...endOf(end, made.length > 0), ...usageOf(usage) }
}

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

/** The words of all protocols, since gateways hand those of others through. In small letters. */
const ENDS: Readonly<Record<string, FinishReason['reason']>> = {
  ...{ '': 'stop', stop: 'stop', eos: 'stop', end_turn: 'stop', stop_sequence: 'stop', pause_turn: 'stop' },
  ...{ tool_calls: 'calls', function_call: 'calls', tool_use: 'calls' },
  ...{ length: 'length', max_tokens: 'length', max_output_tokens: 'length' },
  model_context_window_exceeded: 'window',
  ...{ content_filter: 'refused', refusal: 'refused', safety: 'refused', recitation: 'refused' },
  ...{ error: 'refused', abort: 'refused', sensitive: 'refused', insufficient_system_resource: 'refused' },
  ...{ blocklist: 'refused', prohibited_content: 'refused', spii: 'refused', image_safety: 'refused' },
}

function endOf(word: string, hasCalls: boolean): FinishReason {
  const reason = ENDS[word.toLowerCase()] ?? 'other'
  if (reason === 'other' || reason === 'refused') return { reason, word: cleanLine(word) }
  // Some servers say "stop" also after calls.
  return { reason: reason === 'stop' && hasCalls ? 'calls' : reason }
}

/** Empty if one of the counts is absent. */
function usageOf({ input, cached, output }: ReportedSoFar): { usage?: Usage } {
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

  /** Throws `LimitError` for more calls than a turn runs, so that the rest is not read. */
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

  /** Some servers give all calls one index, or one id, or send neither. */
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
