import type { TurnOutcome, Usage } from '../chat/entry.ts'
import { errorMessage } from '../lib/errors.ts'
import type { Calibrations } from '../prompt/calibration.ts'
import type { ModelSettings } from '../prompt/model-settings.ts'
import type { Prompt } from '../prompt/prompt.ts'
import { addUsage, type Received } from './billing.ts'
import { TurnStopped } from './turn-end.ts'
import { type ConfiguredModel, ModelError, type ModelRequest } from './ports.ts'
import { createReply } from './reply.ts'
import { streamStep, type StepResult, type StepView } from './stream-step.ts'
import type { TurnRecorder } from './turn-log.ts'

/** One request that is no step of a turn: for a summary, or for a tool. */
export interface SingleRequest {
  readonly model: ConfiguredModel
  /** The model's settings that hold now. */
  readonly settings: ModelSettings
  readonly prompt: Prompt
  /** Stores the request, pays for it, and is ended with it. */
  readonly recorder: TurnRecorder
  /** What the answer is called in errors. */
  readonly answer: 'summary' | 'answer'
  /** Is told what each try has used. */
  readonly spent?: (usage: Usage) => void
}

/** What asking once needs. */
export interface AskOnceParts {
  readonly calibrations: Pick<Calibrations, 'learnFrom'>
  readonly limits: { readonly retryPauses?: readonly number[] }
}

/** What the model said, cleaned and never empty, and what its provider reported. */
interface OneAnswer {
  readonly text: string
  readonly usage?: Usage
}

/**
 * Asks a model once, and stores the request and its cost. Rejects with `ModelError`, `StorageError`, or the
 * signal's reason.
 */
export async function askOnce(
  request: SingleRequest,
  signal: AbortSignal,
  parts: AskOnceParts,
): Promise<OneAnswer> {
  const { settings, prompt, recorder } = request
  await recorder.begun
  const size = { counted: prompt.budget.used, framing: 0 }
  let spent: Usage | undefined
  const charge = async (usage: Usage | undefined): Promise<void> => {
    if (usage) spent = addUsage(spent, usage)
    if (usage) request.spent?.(usage)
    await recorder.bill.charge(settings, usage)
  }
  const count = (received: Received): Promise<Usage | undefined> =>
    recorder.bill.count({ settings, size }, received)
  try {
    const brokeOff = async (received: Received): Promise<void> => await charge(await count(received))
    const { result, text } = await send(request, brokeOff, signal, parts.limits.retryPauses)
    await charge(result.usage ?? (await count(result.received)))
    await parts.calibrations.learnFrom(settings, size, result.usage)
    if (text === '') throw new ModelError(`${settings.name}: it gave an empty ${request.answer}`, true)
    await recorder.end({ outcome: 'done', usage: spent })
    return { text, ...(result.usage ? { usage: result.usage } : {}) }
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error
    await recorder.end({ ...failureOf(reason), usage: spent })
    throw reason
  }
}

async function send(
  { model, settings, prompt, recorder }: SingleRequest,
  brokeOff: NonNullable<StepView['brokeOff']>,
  signal: AbortSignal,
  pauses: readonly number[] | undefined,
): Promise<{ readonly result: StepResult; readonly text: string }> {
  const { maxOutput, contextWindow, lacks } = settings
  const request: ModelRequest = {
    prompt,
    messages: [],
    tools: [],
    maxOutput,
    contextWindow,
    ...(lacks?.systemRole === undefined ? {} : { withoutSystemRole: true }),
  }
  await recorder.sent(request)
  // The answer is read only when it is whole, so a request that failed may always be sent again.
  const reply = createReply(() => {})
  const result = await streamStep(model.model, request, { reply, brokeOff }, signal, pauses)
  return { result, text: reply.finish() }
}

const failureOf = (error: unknown): { readonly outcome: TurnOutcome; readonly error: string } => ({
  outcome: error instanceof TurnStopped ? 'stopped' : 'failed',
  error: errorMessage(error),
})
