import type { TurnOutcome, Usage } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { errorMessage } from '../base/errors.ts'
import {
  type Calibrations,
  type CountedRequest,
  type ModelSettings,
  isOverBudget,
  type Prompt,
} from '../wrap/index.ts'
import { addSpent, spentFor, usesTokens, type Spent } from './billing.ts'
import {
  addUsage,
  type ReceivedAnswer,
  ModelError,
  type ConfiguredModel,
  type ModelRefusal,
  type ModelRequest,
  createReply,
  createStreamCleaner,
  streamStep,
  type StepResult,
  type StepView,
} from '../wrap/loop/index.ts'
import { labelOf } from './personas.ts'
import type { RoutineRun } from './routines/index.ts'
import { createAttempts, learnFromRefusal } from './learn-from-refusal.ts'
import type { ModelFactsTable } from './model-facts.ts'
import { TurnStopped } from './turn-end.ts'
import type { TurnRecorder } from './turn-log.ts'
import type { PreparedStep, SpentBy, Turn } from './turn.ts'

export interface StepRequestParts extends RequestParts {
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnFrom' | 'learnRefusal'>
  readonly modelFacts: ModelFactsTable
}

/**
 * Sends a step, and again if refused as too long or for a part; `turn.step` is the last one sent. Rejects
 * with `Refusal` (a quota is used up), `ModelError`, `WrapError`, `StorageError`, or the signal's reason.
 */
export async function requestStep(
  turn: Turn,
  prepared: PreparedStep,
  parts: StepRequestParts,
): Promise<StepResult> {
  const { modelFacts } = parts
  const mayFollow = createAttempts()
  const refusedBefore = modelFacts.refusedParts(turn.model)
  let isPassing = false
  for (let step = prepared; ;) {
    turn.step = step
    try {
      const result = await sendStep(turn, step, parts)
      if (isPassing) modelFacts.forgetGuess(turn.settings)
      return result
    } catch (error) {
      const refusal = error instanceof ModelError ? error.refusal : undefined
      if (error instanceof ModelError && !refusal) {
        modelFacts.requestFailed(turn.settings)
        if (!error.retryable) modelFacts.setRefusedParts(turn.model, refusedBefore)
      }
      if (!refusal) throw error
      isPassing ||= refusal.kind === 'too-long' && refusal.isPassing === true
      const next = mayFollow(refusal) ? await prepareAgain(turn, step, refusal, parts) : undefined
      if (!next) {
        // Forgets a window that did not help, so that a wrong guess never makes the model unusable.
        modelFacts.forgetWindow(turn.settings)
        throw error
      }
      step = next
    }
  }
}

/** Fractions of a refused prompt for the next one: half of it, or 0.9 if its required parts need more. */
const SHARES: readonly number[] = [0.5, 0.9]

/** Resolves to the step with a different request; undefined for none. */
async function prepareAgain(
  turn: Turn,
  step: PreparedStep,
  refusal: ModelRefusal,
  parts: StepRequestParts,
): Promise<PreparedStep | undefined> {
  const { tools } = step.content.prompt
  const refused = { model: turn.model, settings: turn.settings, size: step.size, tools }
  for (const share of SHARES) {
    const settings = await learnFromRefusal(refusal, { ...refused, share }, parts)
    if (!settings) return undefined
    turn.settings = settings
    try {
      const next = await step.again(turn.messages)
      return refusal.kind !== 'too-long' || next.size.counted < step.size.counted ? next : undefined
    } catch (error) {
      if (!isOverBudget(error)) throw error
      parts.modelFacts.forgetWindow(turn.settings)
    }
  }
  return undefined
}

async function sendStep(turn: Turn, step: PreparedStep, parts: StepRequestParts): Promise<StepResult> {
  const { recorder, reply, settings, model, room, routine, signal } = turn
  await allowRequest(turn)
  turn.report('thinking')
  reply.nextStep()
  const thoughts = createStreamCleaner((text) => {
    // A run that says nothing must show nothing.
    if (!routine) room.stream({ turn: recorder.id, model: labelOf(turn), text, thinking: true })
  })
  const { content, size } = step
  const request = {
    ...withRoutine(turn),
    recorder,
    model,
    settings,
    billedTo: labelOf(turn),
    content,
    room: room.name,
    size,
    view: { reply, think: thoughts.push },
  }
  const send = () => sendAndCharge({ ...request, spent: (spent) => countSpent(turn, spent) }, signal, parts)
  const result = await withinPanel(turn, size, send, parts)
  checkAnswer(result)
  const factor = await parts.calibrations.budgetFactor(settings)
  parts.modelFacts.promptAccepted(settings, size.counted, factor)
  return result
}

/** Rejects with `Refusal` if a quota or the routine's token limit is used up, or with `StorageError`. */
export async function allowRequest({ settings, recorder, routine }: Turn): Promise<void> {
  if (!usesTokens(settings)) return
  await recorder.bill.allow()
  const why = await routine?.whyNoTokens()
  if (why !== undefined) throw new Refusal(why)
}

/** Rejects with `Refusal` unless the input and the longest output fit into the panel's remaining tokens. */
export async function withinPanel<Result>(
  { panel, settings }: Pick<Turn, 'panel' | 'settings'>,
  { counted, framing }: CountedRequest,
  send: () => Promise<Result>,
  { calibrations }: { readonly calibrations: Pick<Calibrations, 'budgetFactor'> },
): Promise<Result> {
  if (!panel) return await send()
  const factor = await calibrations.budgetFactor(settings)
  const release = await panel.tokens.reserve(Math.ceil(counted * factor) + framing + settings.maxOutput)
  try {
    return await send()
  } finally {
    release()
  }
}

export const withRoutine = ({ routine }: Pick<Turn, 'routine'>): Pick<Turn, 'routine'> =>
  routine ? { routine } : {}

/** Counts what a request of a turn has used, also in its panel. */
export function countSpent(turn: Turn, spent: Spent): void {
  turn.panel?.tokens.spend(spent.usage.input + spent.usage.output)
  addToTurn(turn, spent)
}

/** Adds to the usage of a turn and of the turns above it. */
function addToTurn(turn: SpentBy, spent: Spent): void {
  turn.spent = addSpent(turn.spent, spent)
  if (turn.origin) addToTurn(turn.origin.parent, spent)
}

/** Throws `ModelError` if a step has neither text nor calls, and its provider says why. */
function checkAnswer({ text, calls, end }: StepResult): void {
  if (calls.length > 0 || text.trim() !== '') return
  if (end.reason === 'window')
    throw new ModelError('its window is full before it answers', false, {}, { refusal: { kind: 'too-long' } })
  if (!('word' in end)) return
  throw new ModelError(`its provider gave no answer (${end.word.slice(0, MAX_WORD_CHARS)})`, false)
}

const MAX_WORD_CHARS = 80

export interface RequestParts {
  readonly calibrations: Pick<Calibrations, 'learnFrom'>
  readonly limits: { readonly retryPauses?: readonly number[] }
}

interface MeteredRequest {
  readonly recorder: TurnRecorder
  readonly model: ConfiguredModel
  readonly routine?: RoutineRun
  /** The current settings, which may have smaller limits than those of `model`. */
  readonly settings: ModelSettings
  /** The label in the bill; the model's name if absent. */
  readonly billedTo?: string
  readonly content: Pick<ModelRequest, 'prompt' | 'messages' | 'tools' | 'pictures'>
  readonly room?: string
  readonly size: CountedRequest
  readonly view: Omit<StepView, 'onInterrupted'>
  /** Called with what each try has used. */
  readonly spent: (spent: Spent) => void
}

/** Charges even stopped tries: stopping early must not be free. Resolves once the request is stored, too. */
async function sendAndCharge(
  { recorder, model, routine, settings, content, room, size, view, spent, ...request }: MeteredRequest,
  signal: AbortSignal,
  { calibrations, limits }: RequestParts,
): Promise<StepResult> {
  const { billedTo = settings.name } = request
  const { maxOutput, contextWindow, lacks } = settings
  const withoutSystemRole = lacks?.systemRole === undefined ? {} : { withoutSystemRole: true }
  const withoutFields = lacks?.fields ? { withoutFields: Object.keys(lacks.fields) } : {}
  const asker = room === undefined ? {} : { room }
  const body = { ...content, ...asker, maxOutput, contextWindow, ...withoutSystemRole, ...withoutFields }
  const charge = async (received: ReceivedAnswer, reported?: Usage): Promise<void> => {
    const usage = reported ?? (await recorder.bill.estimate(settings, size, received))
    if (usage) spent(spentFor(usage, settings.price))
    await recorder.bill.charge({ ...settings, name: billedTo }, usage)
    if (usage) await routine?.spent(usage.input + usage.output)
  }
  const shown = { ...view, onInterrupted: (received: ReceivedAnswer) => charge(received) }
  const streamed = streamStep(model.adapter, body, shown, signal, limits.retryPauses)
  // Called second, so that the request leaves first.
  const stored = recorder.sent(body)
  stored.catch(() => undefined)
  const result = await streamed
  await Promise.all([stored, charge(result.received, result.usage)])
  await calibrations.learnFrom(settings, size, result.usage)
  return result
}

/** A request that is no step of a turn: for a summary, or for a tool. */
export interface SingleRequest {
  readonly model: ConfiguredModel
  readonly settings: ModelSettings
  readonly routine?: RoutineRun
  readonly prompt: Prompt
  /** The request's own record, which ends with it. */
  readonly recorder: TurnRecorder
  /** The name of the answer in errors. */
  readonly answer: 'summary' | 'answer'
  readonly spent?: (spent: Spent) => void
}

/**
 * Asks a model once. The answer's text is sanitized and never empty; `usage` is as the provider reported it.
 * Rejects with `ModelError`, `StorageError`, or the signal's reason.
 */
export async function requestOnce(
  { prompt, answer, ...request }: SingleRequest,
  signal: AbortSignal,
  parts: RequestParts,
): Promise<{ readonly text: string; readonly usage?: Usage }> {
  const { recorder, settings } = request
  await recorder.begun
  let usage: Usage | undefined
  const spent = (more: Spent): void => {
    usage = addUsage(usage, more.usage)
    request.spent?.(more)
  }
  // Streams nothing, because the caller gets the whole answer.
  const reply = createReply(() => {})
  const content = { prompt, messages: [], tools: [] }
  const size = { counted: prompt.budget.used, framing: 0 }
  try {
    const result = await sendAndCharge({ ...request, content, size, view: { reply }, spent }, signal, parts)
    const text = reply.finish()
    if (text === '') throw new ModelError(`${settings.name}: it gave an empty ${answer}`, true)
    await recorder.end({ outcome: 'done', usage })
    return { text, ...(result.usage ? { usage: result.usage } : {}) }
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error
    const outcome: TurnOutcome = reason instanceof TurnStopped ? 'stopped' : 'failed'
    await recorder.end({ outcome, error: errorMessage(reason), usage })
    throw reason
  }
}
