import type { Calibrations } from '../prompt/calibration/calibration.ts'
import { spentFor } from './bill/spent.ts'
import type { KnownModels } from './known-models.ts'
import { ModelError, type ModelRefusal } from './model-error.ts'
import type { ModelRequest } from './ports.ts'
import type { PreparedStep } from './prepared-step.ts'
import { learnFromRefusal } from './refusals.ts'
import { createStreamCleaner } from './reply.ts'
import { streamStep, type StepResult } from './step.ts'
import type { TurnJob } from './turn-job.ts'
import { nameOf, spend, type Turn } from './turn-state.ts'

/** What asking needs. */
export interface AskParts {
  readonly calibrations: Pick<Calibrations, 'learnFrom' | 'learnRefusal'>
  readonly known: KnownModels
  readonly limits: { readonly retryPauses?: readonly number[] }
}

/** What was answered, and the step that was sent in the end. */
interface Answered {
  readonly step: PreparedStep
  readonly result: StepResult
}

/**
 * Sends the turn's newest step. A request that the provider refuses for a reason which another request mends is prepared
 * again and sent once more, once for each kind of reason. Rejects with `Refusal` (a quota is used up), `ModelError`,
 * `WrapError`, `StorageError`, or the signal's reason.
 */
export async function ask(turn: Turn, prepared: PreparedStep, parts: AskParts): Promise<Answered> {
  const mended = new Set<ModelRefusal['kind']>()
  for (let step = prepared; ; step = await step.again(turn.messages)) {
    turn.step = step
    try {
      return { step, result: await send(turn, step, parts) }
    } catch (error) {
      const refusal = error instanceof ModelError ? error.refusal : undefined
      if (error instanceof ModelError && !refusal) parts.known.failed(turn.settings)
      if (!refusal || mended.has(refusal.kind)) throw error
      mended.add(refusal.kind)
      const refused = { model: turn.job.model, settings: turn.settings, size: step.size }
      turn.settings = await learnFromRefusal(refusal, refused, parts)
    }
  }
}

/** Sends one request. It is stored while the model works; what follows from the answer waits until it is. */
async function send(turn: Turn, step: PreparedStep, parts: AskParts): Promise<StepResult> {
  const { job, signal, reply, settings } = turn
  await job.recorder.bill.allow()
  const request = requestOf(turn, step)
  const stored = job.recorder.sent(request)
  stored.catch(() => undefined)
  job.report('thinking')
  reply.nextStep()
  const thinking = createStreamCleaner((text) => showThinking(job, text))
  const view = { reply, think: thinking.push }
  const result = await streamStep(job.model.model, request, view, signal, parts.limits.retryPauses)
  if (result.usage) spend(turn, spentFor(result.usage, settings.price))
  await Promise.all([stored, job.recorder.bill.charge(settings, result.usage)])
  await parts.calibrations.learnFrom(settings, step.size, result.usage)
  return result
}

function requestOf({ settings }: Turn, { content }: PreparedStep): ModelRequest {
  const { prompt, messages, tools } = content
  const { maxOutput, contextWindow, lacks } = settings
  return {
    prompt,
    messages,
    tools,
    maxOutput,
    contextWindow,
    ...(lacks?.systemRole === undefined ? {} : { withoutSystemRole: true }),
  }
}

const showThinking = (job: TurnJob, text: string): void =>
  job.room.stream({ turn: job.recorder.id, model: nameOf(job), text, thinking: true })
