import type { Usage } from '../chat/entry.ts'
import { createDeferred } from '../lib/deferred.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import type { Received } from './bill/own-count.ts'
import { ModelError } from './model-error.ts'
import type {
  LanguageModel,
  ModelEvent,
  ModelRequest,
  ReportedSoFar,
  RequestMessage,
  Thought,
} from './ports.ts'
import { MAX_REPLY_CHARS, type Reply } from './reply.ts'

/** What a model did in one step. */
export interface StepResult {
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** What it thought, to be given back while the turn goes on. */
  readonly thoughts: readonly Thought[]
  readonly reason: Extract<ModelEvent, { type: 'finish' }>['reason']
  /** As the provider reported it; absent where it reported nothing that can be true. */
  readonly usage?: Usage
  /** For our own count of what it wrote. */
  readonly received: Received
}

/** Pauses before the same request is sent again, in milliseconds. There are as many further tries as pauses. */
const RETRY_PAUSES: readonly number[] = [500, 2000]

/** What shows a step while it is streamed. */
export interface StepView {
  readonly reply: Pick<Reply, 'add'>
  /** Shows a piece of what the model thinks; nobody is shown it when absent. */
  readonly think?: (text: string) => void
  /**
   * Called for each request that used tokens and has no end: one that was stopped, and one that broke off after something
   * of its answer came, also where it is sent again.
   */
  readonly brokeOff?: (received: Received) => Promise<void>
}

/**
 * One step: streams the model's text into the reply and collects its calls. A request that failed but may succeed later
 * is sent again, unless something was shown already. Rejects with `ModelError`, the signal's reason, or what `brokeOff`
 * rejects with. Only an error before which nothing was shown has a `refusal`.
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
    const shown: Shown = { text: '', anything: false }
    const received = { text: '', reported: {}, anything: false }
    try {
      return await streamOnce(model, request, view, { shown, received }, signal)
    } catch (error) {
      if (received.anything || signal.aborted) await view.brokeOff?.(received)
      if (!(error instanceof ModelError)) throw error
      if (shown.anything) throw new ModelError(error.message, error.retryable, error.facts)
      const ms = error.retryable ? pauses[tries] : undefined
      if (ms === undefined) throw error
      await pause(ms, signal)
    }
  }
}

/** What people saw of a step. */
interface Shown {
  text: string
  anything: boolean
}

/** What came of a step so far, shown or not. */
interface ReceivedSoFar extends Received {
  text: string
  reported: ReportedSoFar
  anything: boolean
}

async function streamOnce(
  model: LanguageModel,
  request: ModelRequest<RequestMessage>,
  { reply, think }: StepView,
  { shown, received }: { readonly shown: Shown; readonly received: ReceivedSoFar },
  signal: AbortSignal,
): Promise<StepResult> {
  const calls: ToolCall[] = []
  const thoughts: Thought[] = []
  for await (const event of model.stream(request, signal)) {
    received.anything = true
    received.text += writtenIn(event)
    signal.throwIfAborted()
    switch (event.type) {
      case 'reported':
        received.reported = { ...received.reported, ...event.usage }
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
      case 'thought':
        thoughts.push(event.thought)
        break
      case 'call':
        calls.push(event.call)
        break
      case 'finish': {
        const { reason, usage } = event
        return { text: shown.text, calls, thoughts, reason, received, ...(usage ? { usage } : {}) }
      }
    }
  }
  throw new ModelError('the answer ended before it was finished; ask again', true)
}

/** A thought that is given out whole came in pieces before. */
function writtenIn(event: ModelEvent): string {
  if (event.type === 'call') return `${event.call.name} ${event.call.arguments}`
  return event.type === 'text' || event.type === 'thinking' ? event.text : ''
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = createDeferred<void>()
  const timer = setTimeout(resolve, ms)
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop)
  await promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  })
}
