import type { JsonObject } from '../../base/json.ts'
import type { Usage } from '../../words/entry.ts'
import { aborted, untilAborted } from '../../base/jobs/waiting.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import type { ReceivedAnswer } from './usage.ts'
import {
  type FinishReason,
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type PartialUsage,
  type RequestMessage,
  type Thought,
} from './model.ts'
import { MAX_REPLY_CHARS, type Reply } from './reply.ts'
import { withTaggedThoughts } from './thought-tags.ts'

export interface StepResult {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly thoughts: readonly Thought[]
  /** Calls that the server left in the text, which did not run. */
  readonly writtenCalls: readonly string[]
  readonly providerData?: JsonObject
  readonly end: FinishReason
  /** Usage as the provider reported it; absent if it reported nothing that can be true. */
  readonly usage?: Usage
  /** What the model wrote, for our own count. */
  readonly received: ReceivedAnswer
}

/** Ms before each further try of the same request. */
const RETRY_PAUSES: readonly number[] = [500, 2000]

export interface StepView {
  readonly reply: Pick<Reply, 'add' | 'unsay'>
  readonly think?: (text: string) => void
  /** Called for each request that used tokens and has no end, because it was stopped or broke off. */
  readonly onInterrupted?: (received: ReceivedAnswer) => Promise<void>
}

/**
 * Streams one step's text into the reply and collects its calls. Sends a failed request again if a retry may
 * succeed and nothing was shown. Rejects with `ModelError`, the signal's reason, or as `onInterrupted`. Only
 * an error before which nothing was shown has a `refusal`.
 */
export async function streamStep(
  model: LanguageModel,
  request: ModelRequest<RequestMessage>,
  view: StepView,
  signal: AbortSignal,
  pauses: readonly number[] = RETRY_PAUSES,
): Promise<StepResult> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    const shown: ShownOutput = { text: '', anything: false }
    const received = { text: '', reported: {}, anything: false }
    try {
      return await streamOnce(model, request, view, { shown, received }, signal)
    } catch (error) {
      const wasRead = received.anything || (error instanceof ModelError && error.begun)
      if (wasRead || signal.aborted) await view.onInterrupted?.(received)
      if (!(error instanceof ModelError)) throw error
      if (shown.anything) throw new ModelError(error.message, error.retryable, error.facts)
      const ms = error.retryable ? pauseBefore(error, pauses[tries]) : undefined
      if (ms === undefined) throw error
      await pause(ms, signal)
    }
  }
}

/** The longest pause that a provider may ask for; a request with a longer pause is not sent again. */
const MAX_PAUSE_MS = 10_000

function pauseBefore({ retryAfterMs = 0 }: ModelError, usual: number | undefined): number | undefined {
  if (usual === undefined || retryAfterMs > MAX_PAUSE_MS) return undefined
  return Math.max(usual, retryAfterMs)
}

interface ShownOutput {
  text: string
  anything: boolean
}

interface PartialAnswer extends ReceivedAnswer {
  text: string
  reported: PartialUsage
  anything: boolean
}

async function streamOnce(
  model: LanguageModel,
  request: ModelRequest<RequestMessage>,
  { reply, think }: StepView,
  { shown, received }: { readonly shown: ShownOutput; readonly received: PartialAnswer },
  signal: AbortSignal,
): Promise<StepResult> {
  const calls: ToolCall[] = []
  const thoughts: Thought[] = []
  const writtenCalls: string[] = []
  let data: { readonly providerData?: JsonObject } = {}
  const events = recordEvents(model.stream(request, signal), received)
  for await (const event of untilAborted(withTaggedThoughts(events), signal)) {
    switch (event.type) {
      case 'reported':
        break
      case 'text-data':
        data = { providerData: event.providerData }
        break
      case 'text':
        shown.anything ||= event.text !== ''
        shown.text += event.text
        if (!reply.add(event.text))
          throw new ModelError(`the answer was cut: it is longer than ${MAX_REPLY_CHARS} characters`, false)
        break
      case 'thinking':
        shown.anything ||= think !== undefined && event.text !== ''
        think?.(event.text)
        break
      case 'unsay':
        if (shown.text.trim() !== '') thoughts.push({ text: shown.text.trim() })
        shown.text = ''
        reply.unsay()
        break
      case 'written-call':
        writtenCalls.push(event.text)
        break
      case 'thought':
        thoughts.push(event.thought)
        break
      case 'call':
        calls.push(event.call)
        break
      case 'finish': {
        const { type: _, usage, ...end } = event
        const rest = { ...data, ...(usage ? { usage } : {}) }
        return { text: shown.text, calls, thoughts, writtenCalls, end, received, ...rest }
      }
    }
  }
  throw new ModelError('the answer ended before it was finished; ask again', true)
}

/** Passes events on, and records each on arrival: a later reader may hold events back, or be stopped. */
async function* recordEvents(
  events: AsyncIterable<ModelEvent>,
  received: PartialAnswer,
): AsyncGenerator<ModelEvent> {
  for await (const event of events) {
    received.anything = true
    received.text += writtenText(event)
    if (event.type === 'reported') received.reported = { ...received.reported, ...event.usage }
    yield event
  }
}

/** Skips whole thoughts, whose pieces came before. */
function writtenText(event: ModelEvent): string {
  if (event.type === 'call') return `${event.call.name} ${event.call.arguments}`
  return event.type === 'text' || event.type === 'thinking' ? event.text : ''
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([over, aborted(signal)])
  clearTimeout(timer)
  signal.throwIfAborted()
}
