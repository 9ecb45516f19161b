import { createSerial } from '../base/jobs/serial.ts'
import {
  type Calibrations,
  promptBudget,
  type ModelSettings,
  type Composer,
  countedPrompt,
  type Prompt,
} from '../wrap/index.ts'
import {
  ArgumentError,
  type ChatMessage,
  chatModel,
  type ChatModel,
  type ModelAnswer,
} from '../tools/index.ts'
import {
  allowRequest,
  countSpent,
  requestOnce,
  withinPanel,
  withRoutine,
  type RequestParts,
} from './request-step.ts'
import type { Spent } from './billing.ts'
import type { TurnLog } from './turn-log.ts'
import type { Turn, ToolQuestions } from './turn.ts'
import { questionTexts } from '../wrap/loop/index.ts'

export interface ToolQuestionParts extends RequestParts {
  readonly composer: Pick<Composer, 'count'>
  readonly turnLog: Pick<TurnLog, 'begin'>
  readonly calibrations: Pick<Calibrations, 'budgetFactor' | 'learnFrom'>
}

/** Stores and charges questions like side turns, one at a time: parallel ones would all pass the quotas. */
export function createToolQuestions(turn: () => Turn, name: string, parts: ToolQuestionParts): ToolQuestions {
  const oneByOne = createSerial()
  const ask: ChatModel['ask'] = (messages, signal) => oneByOne(() => askFor(turn(), messages, signal, parts))
  return { model: chatModel(name, ask), settled: () => oneByOne(() => undefined) }
}

async function askFor(
  turn: Turn,
  messages: readonly ChatMessage[],
  stop: AbortSignal | undefined,
  parts: ToolQuestionParts,
): Promise<ModelAnswer> {
  const { model, settings, recorder, room, requester } = turn
  const signal = stop ? AbortSignal.any([turn.signal, stop]) : turn.signal
  signal.throwIfAborted()
  const prompt = await promptOf(messages, settings, parts)
  await allowRequest(turn)
  const facts = { room: room.name, requester, model: settings.name, parent: recorder.id }
  turn.report('thinking')
  const question = { ...withRoutine(turn), model, settings, prompt, recorder: parts.turnLog.begin(facts) }
  const spent = (used: Spent): void => countSpent(turn, used)
  const size = { counted: prompt.budget.used, framing: 0 }
  const send = () => requestOnce({ ...question, answer: 'answer', spent }, signal, parts)
  return await withinPanel(turn, size, send, parts)
}

/** Throws `ArgumentError`. */
async function promptOf(
  messages: readonly ChatMessage[],
  settings: ModelSettings,
  { composer, calibrations }: ToolQuestionParts,
): Promise<Prompt> {
  const texts = questionTexts(messages)
  const target = promptBudget({ ...settings, calibration: await calibrations.budgetFactor(settings) })
  const [context = 0, message = 0] = await composer.count(settings.encoding, [texts.context, texts.message])
  const used = context + message
  if (used > target) {
    const space = `@${settings.name} has space for ${target}`
    throw new ArgumentError(`the messages have ${used} tokens and ${space}; ask about less at once`)
  }
  return countedPrompt(texts, { system: 0, context, message }, settings, target)
}
