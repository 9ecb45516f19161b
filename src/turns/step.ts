import type { Usage } from '../chat/entry.ts'
import { createDeferred } from '../lib/deferred.ts'
import { untilAborted } from '../lib/until-aborted.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import { ModelError } from './model-error.ts'
import type { FinishReason, LanguageModel, ModelRequest, RequestMessage, Thought } from './ports.ts'
import { MAX_REPLY_CHARS, type Reply } from './reply.ts'
import { withTaggedThoughts } from './thoughts/thoughts.ts'

/** What a model did in one step. */
export interface StepResult {
  readonly text: string
  readonly calls: readonly ToolCall[]
  /** What it thought, to be given back while the turn goes on. */
  readonly thoughts: readonly Thought[]
  readonly end: FinishReason
  readonly usage?: Usage
}

/** Pauses before the same request is sent again, in milliseconds. There are as many further tries as pauses. */
const RETRY_PAUSES: readonly number[] = [500, 2000]

/** What shows a step while it is streamed. */
export interface StepView {
  readonly reply: Pick<Reply, 'add' | 'unsay'>
  /** Shows a piece of what the model thinks; nobody is shown it when absent. */
  readonly think?: (text: string) => void
}

/**
 * One step: streams the model's text into the reply and collects its calls. A request that failed but may succeed later
 * is sent again, unless something was shown already. Rejects with `ModelError`, or the signal's reason. Only an error
 * before which nothing was shown has a `refusal`.
 */
export async function streamStep(
  model: LanguageModel,
  request: ModelRequest<RequestMessage>,
  view: StepView,
  signal: AbortSignal,
  pauses: readonly number[] = RETRY_PAUSES,
): Promise<StepResult> {
  for (let tries = 0; ; tries++) {
    const shown: Shown = { text: '', anything: false }
    try {
      return await streamOnce(model, request, view, shown, signal)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      if (shown.anything) throw new ModelError(error.message, error.retryable, error.facts)
      const ms = error.retryable ? pauseBefore(error, pauses[tries]) : undefined
      if (ms === undefined) throw error
      await pause(ms, signal)
    }
  }
}

/** Milliseconds for which a turn waits where the provider says when it takes the next request. */
const MAX_PAUSE_MS = 10_000

function pauseBefore({ retryAfterMs = 0 }: ModelError, usual: number | undefined): number | undefined {
  if (usual === undefined || retryAfterMs > MAX_PAUSE_MS) return undefined
  return Math.max(usual, retryAfterMs)
}

/** What people saw of a step. */
interface Shown {
  text: string
  anything: boolean
}

async function streamOnce(
  model: LanguageModel,
  request: ModelRequest<RequestMessage>,
  { reply, think }: StepView,
  shown: Shown,
  signal: AbortSignal,
): Promise<StepResult> {
  const calls: ToolCall[] = []
  const thoughts: Thought[] = []
  for await (const event of untilAborted(withTaggedThoughts(model.stream(request, signal)), signal)) {
    switch (event.type) {
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
      case 'thought':
        thoughts.push(event.thought)
        break
      case 'call':
        calls.push(event.call)
        break
      case 'finish': {
        const { type: _, usage, ...end } = event
        return { text: shown.text, calls, thoughts, end, ...(usage ? { usage } : {}) }
      }
    }
  }
  throw new ModelError('the answer ended before it was finished; ask again', true)
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
