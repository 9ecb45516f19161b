import type { Calibrations } from '../prompt/calibration.ts'
import { isOverBudget } from '../prompt/ports.ts'
import type { Usage } from '../chat/entry.ts'
import { type Received, spentFor, usesTokens } from './billing.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { KnownModels } from './known-models.ts'
import { ModelError, type ModelRefusal, type ModelRequest } from './ports.ts'
import type { PreparedStep } from './prepare-step.ts'
import { createAttempts, learnFromRefusal } from './refusals.ts'
import { createStreamCleaner } from './reply.ts'
import { streamStep, type StepResult } from './stream-step.ts'
import type { TurnJob } from './turn-job.ts'
import { nameOf, spend, type Turn } from './turn-state.ts'

/** What asking needs. */
export interface AskParts {
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnFrom' | 'learnRefusal'>
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
 * again and sent once more; one that was too long is made shorter until it is taken. Rejects with `Refusal` (a quota is
 * used up), `ModelError`, `WrapError`, `StorageError`, or the signal's reason.
 */
export async function ask(turn: Turn, prepared: PreparedStep, parts: AskParts): Promise<Answered> {
  const mayFollow = createAttempts()
  let step = prepared
  let isPassing = false
  for (;;) {
    turn.step = step
    try {
      const result = await send(turn, step, parts)
      if (isPassing) parts.known.forgetGuess(turn.settings)
      return { step, result }
    } catch (error) {
      const refusal = error instanceof ModelError ? error.refusal : undefined
      if (error instanceof ModelError && !refusal) parts.known.failed(turn.settings)
      if (!refusal) throw error
      isPassing ||= refusal.kind === 'too-long' && refusal.isPassing === true
      const next = mayFollow(refusal) ? await another(turn, step, refusal, parts) : undefined
      if (!next) {
        // What helped nothing is not kept, so that no refusal shuts a model out.
        await parts.known.forgetWindow(turn.settings)
        throw error
      }
      step = next
    }
  }
}

/** Shares of a refused prompt that the next one may have: half of it, or more where what must be there needs more. */
const SHARES: readonly number[] = [0.5, 0.75, 0.9]

/** The step again, as another request; undefined where there is none that differs. */
async function another(
  turn: Turn,
  step: PreparedStep,
  refusal: ModelRefusal,
  parts: AskParts,
): Promise<PreparedStep | undefined> {
  const refused = { model: turn.job.model, settings: turn.settings, size: step.size }
  for (const share of SHARES) {
    turn.settings = await learnFromRefusal(refusal, { ...refused, share }, parts)
    try {
      const next = await step.again(turn.messages)
      return refusal.kind !== 'too-long' || next.size.counted < step.size.counted ? next : undefined
    } catch (error) {
      if (!isOverBudget(error)) throw error
      await parts.known.forgetWindow(turn.settings)
    }
  }
  return undefined
}

/**
 * Sends one request. It is stored while the model works; what follows from the answer waits until it is. What was used is
 * charged in any case.
 */
async function send(turn: Turn, step: PreparedStep, parts: AskParts): Promise<StepResult> {
  const { job, signal, reply, settings } = turn
  if (usesTokens(settings)) await job.recorder.bill.allow()
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
  checkAnswer(result)
  parts.known.taken(settings, step.size.counted)
  return result
}

async function charge(turn: Turn, settings: ModelSettings, usage: Usage | undefined): Promise<void> {
  if (usage) spend(turn, spentFor(usage, settings.price))
  await turn.job.recorder.bill.charge(settings, usage)
}

/** Throws `ModelError` where the provider ended a step that has neither text nor calls, and says why. */
function checkAnswer({ text, calls, end }: StepResult): void {
  if (calls.length > 0 || text.trim() !== '') return
  if (end.reason === 'window')
    throw new ModelError('its window is full before it answers', false, {}, { refusal: { kind: 'too-long' } })
  if (!('word' in end)) return
  throw new ModelError(`its provider gave no answer (${end.word.slice(0, MAX_WORD_CHARS)})`, false)
}

/** Characters of a provider's word for the end of an answer that are shown. */
const MAX_WORD_CHARS = 80

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
