import type { Log } from '../base/environment.ts'
import type { RememberCounts } from './gather-snapshot.ts'
import { isOverBudget } from '../wrap/index.ts'
import { createCallCheck, executeTools } from '../wrap/toolbox/index.ts'
import type { Spent } from './billing.ts'
import { ModelError, type ConfiguredModel, createReply, runSteps } from '../wrap/loop/index.ts'
import type { ToolMessage } from '../tools/index.ts'
import { withSeenPictures } from './pictures.ts'
import { labelOf, nameOf, speakerOf } from './personas.ts'
import type { PrepareStep } from './prepare-step.ts'
import { requestStep, type StepRequestParts } from './request-step.ts'
import { createSideTurns, type SideTurnLimits } from './side-turns.ts'
import { createToolQuestions, type ToolQuestionParts } from './tool-questions.ts'
import { doneEnding, endingOf, recordEnd, recordHandOver, stoppedEnding, withinTime } from './turn-end.ts'
import { isSilence } from './routines/index.ts'
import type { TurnLog } from './turn-log.ts'
import type { Ending, PreparedStep, RunTurn, Turn, TurnRequest } from './turn.ts'
import { refusingCutCalls } from './wrong-calls.ts'

export interface TurnParts extends StepRequestParts, ToolQuestionParts {
  readonly prepareStep: PrepareStep
  readonly calibrations: StepRequestParts['calibrations']
  readonly rememberCounts: RememberCounts
  readonly models: () => readonly ConfiguredModel[]
  readonly turnLog: Pick<TurnLog, 'begin'>
  readonly limits: TurnLimits & SideTurnLimits
  /** Called when a model wrote a tool call as text. */
  readonly onWrittenCall: (model: string) => void
  readonly log: Log
}

export interface TurnLimits {
  /** The maximum duration of a turn in seconds. */
  readonly turn_s: number
  /** The most steps in one turn. A step is one model request and its retries. */
  readonly turn_steps: number
  /** Pauses in ms before each retry of a failed request; see stream-step.ts. */
  readonly retryPauses?: readonly number[]
}

/** Returns the function that runs turns and side turns. */
export function createRunTurn(parts: TurnParts): RunTurn {
  const runTurn: RunTurn = async (request, stop) => {
    const { signal, end } = withinTime(parts.limits.turn_s, nameOf({ ...request, ...request.model }), stop)
    try {
      const { turn, ending } = await answer(request, signal, request.before)
      const text = turn.reply.take()
      const whole = turn.reply.finish()
      const { last, reply } = await recordEnd(turn, { text, saidBefore: whole !== '' }, ending)
      await parts.rememberCounts(turn.settings.encoding, turn.step?.rows ?? [])
      const { spent } = turn
      return { last, text: whole, ending, ...(reply ? { reply } : {}), ...(spent ? { spent } : {}) }
    } finally {
      end()
    }
  }

  /** Asks the model, or its fallback if it fails before any text or call. `before`: usage of failed models. */
  async function answer(
    request: TurnRequest,
    signal: AbortSignal,
    before?: Spent,
  ): Promise<{ readonly turn: Turn; readonly ending: Ending }> {
    const turn = begin(request, signal)
    if (before) turn.spent = before
    try {
      return { turn, ending: await converse(turn, parts) }
    } catch (error) {
      // A turn that could not be stored is not announced in the room.
      await turn.recorder.begun
      const next = fallbackFor(turn, error, parts.models())
      if (!next)
        return {
          turn,
          ending: endingOf(signal.aborted ? signal.reason : error, turn.settings.name, parts.log),
        }
      await recordHandOver(turn, error, next.settings.name, parts.log)
      const insteadOf = [...(request.insteadOf ?? []), turn.settings.name]
      return await answer({ ...request, model: next, insteadOf }, signal, turn.spent)
    } finally {
      await Promise.all([turn.sideTurns.settled(), turn.questions.settled()])
    }
  }

  function begin(request: TurnRequest, signal: AbortSignal): Turn {
    const { recorder, room, report, model } = request
    const { settings } = model
    const show = (text: string): void => {
      report('writing')
      room.stream({ turn: recorder.id, model: labelOf(turn), text })
    }
    const reply = createReply(show, request.routine && isSilence)
    const turn: Turn = {
      ...request,
      signal,
      reply,
      messages: [],
      settings,
      sideTurns: createSideTurns(() => turn, runTurn, parts),
      questions: createToolQuestions(() => turn, settings.name, parts),
    }
    return turn
  }

  return runTurn
}

/** Asks the model, runs its calls, and returns how that ended. */
async function converse(turn: Turn, parts: TurnParts): Promise<Ending> {
  const { signal, messages } = turn
  const name = nameOf(turn)
  const maxSteps = parts.limits.turn_steps
  const end = await runSteps({
    maxSteps,
    signal,
    checkCalls: createCallCheck(name),
    async ask() {
      const result = await requestStep(turn, await nextStep(turn, parts), parts)
      if (result.calls.length > 0) await recordSaid(turn)
      const { nameOf, content } = stepOf(turn)
      const isParserOff = result.writtenCalls.length > 0 && result.calls.length === 0
      if (content.tools.length > 0 && isParserOff) parts.onWrittenCall(turn.settings.name)
      return { ...result, calls: result.calls.map((call) => ({ ...call, name: nameOf(call.name) })) }
    },
    async run(calls, said, reason) {
      messages.push(said)
      const replied = (reply: ToolMessage): void => void messages.push(withSeenPictures(reply, turn.settings))
      const toolbox = refusingCutCalls(stepOf(turn).toolbox, calls, reason)
      await executeTools(calls, { toolbox, signal, replied })
    },
  })
  switch (end.why) {
    case 'answered':
      return doneEnding(name, end.result)
    case 'halted':
      for (const call of end.calls) await stepOf(turn).toolbox.refuse(call, `not run: ${end.reason}`)
      return stoppedEnding(end.reason)
    case 'used-up':
      return stoppedEnding(`@${name} used all ${maxSteps} steps of its turn; it was stopped`)
  }
}

function stepOf({ step }: Turn): PreparedStep {
  if (!step) throw new Error('a model answered without a request')
  return step
}

async function nextStep(turn: Turn, parts: TurnParts): Promise<PreparedStep> {
  const { step, messages, settings } = turn
  // Stores the turn while the prompt is composed. The model is asked after both.
  if (!step) return (await Promise.all([firstStep(turn, parts), turn.recorder.begun]))[0]
  try {
    return await step.next(messages)
  } catch (error) {
    if (!isOverBudget(error)) throw error
    const why = `its calls and their results in this turn leave no space in its window of ${settings.contextWindow} tokens`
    throw new ModelError(`${settings.name}: ${why}; ask for less at once`, false)
  }
}

async function firstStep(turn: Turn, { modelFacts, prepareStep }: TurnParts): Promise<PreparedStep> {
  for (;;) {
    turn.settings = await modelFacts.settingsOf(turn.model)
    turn.signal.throwIfAborted()
    try {
      return await prepareStep(turn)
    } catch (error) {
      // The learned window may be far too small; without it, the provider may report its limit.
      if (!isOverBudget(error) || !modelFacts.forgetWindow(turn.settings)) throw error
    }
  }
}

/** Records what the model said before its calls, as a reply without an outcome. */
async function recordSaid(turn: Turn): Promise<void> {
  const { reply, room, recorder, routine } = turn
  const text = reply.take()
  if (text !== '' && !(routine && isSilence(text)))
    await room.record({ kind: 'reply', ...speakerOf(turn), text, turn: recorder.id })
}

/** Undefined after any text or call, which cannot be taken back. The config has no loops of fallbacks. */
function fallbackFor(
  { reply, messages, signal, settings: { fallback } }: Turn,
  error: unknown,
  models: readonly ConfiguredModel[],
): ConfiguredModel | undefined {
  if (!(error instanceof ModelError) || signal.aborted || fallback === undefined) return undefined
  if (messages.length > 0 || !reply.isEmpty()) return undefined
  return models.find(({ settings }) => settings.name === fallback)
}
