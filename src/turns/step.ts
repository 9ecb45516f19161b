import type { Usage } from '../chat/entry.ts'
import type { LanguageModel, ModelEvent, ModelRequest } from './ports.ts'
import type { ToolCall } from '../toolbox/tool-call.ts'
import { ModelError } from './ports.ts'
import { REPLY_CHARS, type Reply } from './reply.ts'

/** What a model did in one step. */
export interface StepAnswer {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly reason: Extract<ModelEvent, { type: 'finish' }>['reason']
  readonly usage?: Usage
}

/** Pauses before trying again, in milliseconds; as many tries as there are pauses. */
export const RETRY_PAUSES: readonly number[] = [500, 2000]

/**
 * One step: streams the model's text into the reply and collects its calls. Where the provider fails for
 * now and nothing was shown yet, it is asked again. Rejects with `ModelError`, or the signal's reason.
 */
export async function streamStep(
  model: LanguageModel,
  request: ModelRequest,
  reply: Reply,
  signal: AbortSignal,
  pauses: readonly number[] = RETRY_PAUSES,
): Promise<StepAnswer> {
  for (let tries = 0; ; tries++) {
    const shown = { text: '' }
    try {
      return await streamOnce(model, request, reply, shown, signal)
    } catch (error) {
      const again =
        error instanceof ModelError && error.retryable && shown.text === '' && tries < pauses.length
      if (!again) throw error
      await pause(pauses[tries]!, signal)
    }
  }
}

async function streamOnce(
  model: LanguageModel,
  request: ModelRequest,
  reply: Reply,
  shown: { text: string },
  signal: AbortSignal,
): Promise<StepAnswer> {
  const calls: ToolCall[] = []
  for await (const event of model.stream(request, signal)) {
    signal.throwIfAborted()
    if (event.type === 'call') calls.push(event.call)
    if (event.type === 'text') {
      shown.text += event.text
      if (!reply.add(event.text))
        throw new ModelError(`the answer was cut: it is longer than ${REPLY_CHARS} characters`, false)
    }
    if (event.type === 'finish') {
      const { reason, usage } = event
      return { text: shown.text, calls, reason, ...(usage ? { usage } : {}) }
    }
  }
  throw new ModelError('the answer ended before it was finished; ask again', true)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
