import type { LanguageModel, ModelEvent, ModelRequest } from '../../src/wrap/loop/model.ts'
import type { ToolCall } from '../../src/wrap/toolbox/tool-call.ts'
import { createWaiting } from './waiting.ts'

/** What a scripted model does with one request. */
export type ScriptedStep = (
  request: ModelRequest,
  signal: AbortSignal,
) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>

/** A language model that follows a script, one entry a request, and remembers what it was given. */
export interface ScriptedModel extends LanguageModel {
  readonly requests: readonly ModelRequest[]
  arrived(count: number): Promise<void>
}

/** A request beyond the script throws, so that a test cannot pass by asking too often. */
export function scriptedModel(...steps: readonly ScriptedStep[]): ScriptedModel {
  const requests: ModelRequest[] = []
  const { changed, until } = createWaiting()
  return {
    requests,
    arrived: async (count) => void (await until(() => requests.length >= count)),
    async *stream(request: ModelRequest, signal: AbortSignal) {
      const step = steps[requests.length]
      requests.push({ ...request, messages: [...request.messages] })
      changed()
      if (!step) throw new Error(`the script has only ${steps.length} steps`)
      yield* step(request, signal)
    },
  }
}

/** Says this, piece by piece, and is done. */
export const say = (...texts: readonly string[]): ScriptedStep =>
  function* () {
    for (const text of texts) yield { type: 'text', text }
    yield { type: 'finish', reason: 'stop', usage: { input: 10, output: texts.length } }
  }

/** Calls these tools; arguments that are not a string are turned into JSON. */
export const call = (
  ...wanted: readonly (readonly [name: string, args: unknown, id?: string])[]
): ScriptedStep =>
  function* () {
    for (const [index, [name, args, id]] of wanted.entries())
      yield { type: 'call', call: toCall(name, args, id ?? `c${index}`) }
    yield { type: 'finish', reason: 'calls', usage: { input: 10, output: 1 } }
  }

const toCall = (name: string, args: unknown, id: string): ToolCall => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})

/** Says this, then throws. */
export const fail = (error: Error, ...texts: readonly string[]): ScriptedStep =>
  function* () {
    for (const text of texts) yield { type: 'text', text }
    throw error
  }

/** Says this, then waits until it is stopped. */
export const hangs = (...texts: readonly string[]): ScriptedStep =>
  async function* (_request, signal) {
    for (const text of texts) yield { type: 'text', text }
    await new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
