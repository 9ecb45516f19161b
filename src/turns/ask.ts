import type { Calibrations } from '../prompt/calibration/calibration.ts'
import type { Usage } from '../chat/entry.ts'
import type { Received } from './bill/own-count.ts'
import { spentFor } from './bill/spent.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
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
      if (!refusal || mended.has(refusal.kind)) throw error
      mended.add(refusal.kind)
      const refused = { model: turn.job.model, settings: turn.settings, size: step.size }
      turn.settings = await learnFromRefusal(refusal, refused, parts)
    }
  }
}

/**
 * Sends one request. It is stored while the model works; what follows from the answer waits until it is. What was used is
 * charged in any case.
 */
async function send(turn: Turn, step: PreparedStep, parts: AskParts): Promise<StepResult> {
  const { job, signal, reply, settings } = turn
  await job.recorder.bill.allow()
  const request = requestOf(turn, step)
  const stored = job.recorder.sent(request)
  stored.catch(() => undefined)
  job.report('thinking')
  reply.nextStep()
  const thinking = createStreamCleaner((text) => showThinking(job, text))
  const counted = { settings, size: step.size }
  const brokeOff = async (received: Received): Promise<void> =>
    await charge(turn, settings, await job.recorder.bill.count(counted, received))
  const view = { reply, think: thinking.push, brokeOff }
  const result = await streamStep(job.model.model, request, view, signal, parts.limits.retryPauses)
  const usage = result.usage ?? (await job.recorder.bill.count(counted, result.received))
  await Promise.all([stored, charge(turn, settings, usage)])
  await parts.calibrations.learnFrom(settings, step.size, result.usage)
  return result
}

async function charge(turn: Turn, settings: ModelSettings, usage: Usage | undefined): Promise<void> {
  if (usage) spend(turn, spentFor(usage, settings.price))
  await turn.job.recorder.bill.charge(settings, usage)
}

function requestOf({ settings }: Turn, { prompt, messages, definitions }: PreparedStep): ModelRequest {
  const { maxOutput, contextWindow, lacks } = settings
  return {
    prompt,
    messages,
    tools: definitions,
    maxOutput,
    contextWindow,
    ...(lacks?.systemRole === undefined ? {} : { withoutSystemRole: true }),
  }
}

const showThinking = (job: TurnJob, text: string): void =>
  job.room.stream({ turn: job.recorder.id, model: nameOf(job), text, thinking: true })
