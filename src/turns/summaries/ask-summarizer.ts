import type { RoomName, TurnOutcome, Usage } from '../../chat/entry.ts'
import type { Calibrations } from '../../prompt/calibration/calibration.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import { errorMessage } from '../../lib/errors.ts'
import { TurnStopped, withinTime } from '../ending.ts'
import { ModelError } from '../model-error.ts'
import type { ConfiguredModel, ModelRequest } from '../ports.ts'
import { createReply } from '../reply.ts'
import { streamStep, type StepResult, type StepView } from '../step.ts'
import type { Received } from '../bill/own-count.ts'
import { addUsage } from '../bill/spent.ts'
import type { CheckQuotas } from '../bill/token-quotas.ts'
import type { TurnLog, TurnRecorder } from '../turn-log.ts'

/** One request for a summary. */
export interface SummaryRequest {
  readonly room: RoomName
  readonly model: ConfiguredModel
  /** The model's settings that hold now. */
  readonly settings: ModelSettings
  readonly prompt: Prompt
}

/** What asking for a summary needs. */
export interface AskSummarizerParts {
  readonly checkQuotas: CheckQuotas
  readonly turnLog: Pick<TurnLog, 'beginInBackground'>
  readonly calibrations: Pick<Calibrations, 'learnFrom'>
  readonly limits: { readonly turn_s: number; readonly retryPauses?: readonly number[] }
}

/**
 * Asks a model once, and stores the request and its cost as the room's. Resolves to what it said, cleaned. Rejects with
 * `Refusal` (a quota), `ModelError`, `StorageError`, `TurnStopped`, or the signal's reason.
 */
export async function askSummarizer(
  request: SummaryRequest,
  stop: AbortSignal,
  parts: AskSummarizerParts,
): Promise<string> {
  const { room, settings, prompt } = request
  await parts.checkQuotas(room)
  const recorder = parts.turnLog.beginInBackground({ room, model: settings.name })
  await recorder.begun
  const { signal, end } = withinTime(parts.limits.turn_s, settings.name, stop)
  const size = { counted: prompt.budget.used, framing: 0 }
  let spent: Usage | undefined
  const charge = async (usage: Usage | undefined): Promise<void> => {
    if (usage) spent = addUsage(spent, usage)
    await recorder.bill.charge(settings, usage)
  }
  const count = (received: Received): Promise<Usage | undefined> =>
    recorder.bill.count({ settings, size }, received)
  try {
    const brokeOff = async (received: Received): Promise<void> => await charge(await count(received))
    const { result, text } = await send(request, { recorder, brokeOff, signal }, parts.limits.retryPauses)
    await charge(result.usage ?? (await count(result.received)))
    await parts.calibrations.learnFrom(settings, size, result.usage)
    await recorder.end({ outcome: 'done', usage: spent })
    if (text === '') throw new ModelError(`${settings.name}: it gave an empty summary`, true)
    return text
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error
    await recorder.end({ ...failureOf(reason), usage: spent })
    throw reason
  } finally {
    end()
  }
}

/** How one request is sent. */
interface Sending extends Required<Pick<StepView, 'brokeOff'>> {
  readonly recorder: TurnRecorder
  readonly signal: AbortSignal
}

async function send(
  { model, settings, prompt }: SummaryRequest,
  { recorder, brokeOff, signal }: Sending,
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
  // A summary is read by models only when it is whole, so a request that failed may always be sent again.
  const reply = createReply(() => {})
  const result = await streamStep(model.model, request, { reply, brokeOff }, signal, pauses)
  return { result, text: reply.finish() }
}

const failureOf = (error: unknown): { readonly outcome: TurnOutcome; readonly error: string } => ({
  outcome: error instanceof TurnStopped ? 'stopped' : 'failed',
  error: errorMessage(error),
})
