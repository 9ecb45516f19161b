import type { Usage } from '../chat/entry.ts'
import { createDeferred } from '../lib/deferred.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import {
  ModelError,
  type LanguageModel,
  type ModelEvent,
  type ModelRequest,
  type RequestMessage,
} from './ports.ts'
import { MAX_REPLY_CHARS, type Reply } from './reply.ts'

/** What a model did in one step. */
export interface StepResult {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly reason: Extract<ModelEvent, { type: 'finish' }>['reason']
  readonly usage?: Usage
}

/** Pauses before the same request is sent again, in milliseconds. There are as many further tries as pauses. */
const RETRY_PAUSES: readonly number[] = [500, 2000]

/**
 * One step: streams the model's text into the reply and collects its calls. A request that failed but may succeed later
 * is sent again, unless some text was shown already. Rejects with `ModelError`, or the signal's reason.
 */
export async function streamStep(
  model: LanguageModel,
  request: ModelRequest<RequestMessage>,
  reply: Pick<Reply, 'add'>,
  signal: AbortSignal,
  pauses: readonly number[] = RETRY_PAUSES,
): Promise<StepResult> {
  for (let tries = 0; ; tries++) {
    const shown = { text: '' }
    try {
      return await streamOnce(model, request, reply, shown, signal)
    } catch (error) {
      const ms = error instanceof ModelError && error.retryable && !shown.text ? pauses[tries] : undefined
      if (ms === undefined) throw error
      await pause(ms, signal)
    }
  }
}

async function streamOnce(
  model: LanguageModel,
  request: ModelRequest<RequestMessage>,
  reply: Pick<Reply, 'add'>,
  shown: { text: string },
  signal: AbortSignal,
): Promise<StepResult> {
  const calls: ToolCall[] = []
  for await (const event of model.stream(request, signal)) {
    signal.throwIfAborted()
    switch (event.type) {
      case 'text':
        shown.text += event.text
        if (!reply.add(event.text))
          throw new ModelError(`the answer was cut: it is longer than ${MAX_REPLY_CHARS} characters`, false)
        break
      case 'call':
        calls.push(event.call)
        break
      case 'finish': {
        const { reason, usage } = event
        return { text: shown.text, calls, reason, ...(usage ? { usage } : {}) }
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
