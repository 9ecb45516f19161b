import type { TurnOutcome } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { Log } from '../chat/ports.ts'
import { WrapError } from '../prompt/ports.ts'
import { ModelError } from './ports.ts'

/** How a turn ended, and what the room is told beyond the reply. */
export interface Ending {
  readonly outcome: TurnOutcome
  readonly notice?: { readonly level: 'info' | 'error'; readonly text: string }
}

/** The reason a turn's signal is aborted with; the message is for the room. */
export class TurnStopped extends Error {
  override readonly name = 'TurnStopped'
}

/** The end of a turn that went through. `cut` when the model's answer met its limit. */
export const done = (model: string, cut: boolean): Ending =>
  cut
    ? { outcome: 'done', notice: { level: 'info', text: `@${model}'s answer was cut at its max_output` } }
    : { outcome: 'done' }

/** The end of a turn that met a limit of ours. */
export const stopped = (text: string): Ending => ({ outcome: 'stopped', notice: { level: 'error', text } })

/** The end of a turn by what it threw. What is nobody's fault in the room is told to the log in full. */
export function endingOf(error: unknown, model: string, log: Log): Ending {
  if (error instanceof TurnStopped)
    return { outcome: 'stopped', notice: { level: 'info', text: error.message } }
  if (error instanceof WrapError) return failure(error.message)
  if (error instanceof ModelError) {
    log.warn({ model, ...error.facts, error: error.message }, 'a model failed')
    return failure(
      error.message.startsWith(`${model}: `) ? `@${error.message}` : `@${model}: ${error.message}`,
    )
  }
  log.error({ model, error }, 'a turn failed')
  if (error instanceof StorageError) return failure(`@${model}'s turn ended: ${error.message}`)
  return failure(`@${model}'s turn failed inside the server; its log says why`)
}

const failure = (text: string): Ending => ({ outcome: 'failed', notice: { level: 'error', text } })
