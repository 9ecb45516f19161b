import type { RoomName } from '../../chat/entry.ts'
import type { Calibrations } from '../../prompt/calibration/calibration.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import { errorMessage } from '../../lib/errors.ts'
import { TurnStopped, withinTime } from '../ending.ts'
import { ModelError } from '../model-error.ts'
import type { ConfiguredModel, ModelRequest } from '../ports.ts'
import { createReply } from '../reply.ts'
import { streamStep, type StepResult } from '../step.ts'
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
  { checkQuotas, turnLog, calibrations, limits }: AskSummarizerParts,
): Promise<string> {
  const { room, settings, prompt } = request
  await checkQuotas(room)
  const recorder = turnLog.beginInBackground({ room, model: settings.name })
  await recorder.begun
  const { signal, end } = withinTime(limits.turn_s, settings.name, stop)
  try {
    const { result, text } = await send(request, recorder, signal, limits.retryPauses)
    await recorder.bill.charge(settings, result.usage)
    await calibrations.learnFrom(settings, { counted: prompt.budget.used, framing: 0 }, result.usage)
    await recorder.end({ outcome: 'done', usage: result.usage })
    if (text === '') throw new ModelError(`${settings.name}: it gave an empty summary`, true)
    return text
  } catch (error) {
    await recordFailure(recorder, signal.aborted ? signal.reason : error)
    throw signal.aborted ? signal.reason : error
  } finally {
    end()
  }
}

async function send(
  { model, settings, prompt }: SummaryRequest,
  recorder: TurnRecorder,
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
  // A summary is read by models only when it is whole, so a request that failed may always be sent again.
  const reply = createReply(() => {})
  const result = await streamStep(model.model, request, { reply }, signal, pauses)
  return { result, text: reply.finish() }
}

async function recordFailure(recorder: TurnRecorder, error: unknown): Promise<void> {
  const isStopped = error instanceof TurnStopped
  await recorder.end({
    outcome: isStopped ? 'stopped' : 'failed',
    usage: undefined,
    error: errorMessage(error),
  })
}
