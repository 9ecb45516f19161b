import { attributed, type RememberCounts } from '../prompt/gather-snapshot.ts'
import { isOverBudget } from '../prompt/ports.ts'
import { createCallCheck, type ToolCall } from '../toolbox/tool-call.ts'
import { executeTools, type Toolbox } from '../toolbox/toolbox.ts'
import type { ChatModel, ChatView } from '../tools/context.ts'
import type { Spent } from './billing.ts'
import { ask, type AskParts } from './ask.ts'
import { createAskedByTools, type AskedByToolsParts } from './tool-questions.ts'
import { done, endingOf, recordEnd, stopped, withinTime, type Ending } from './turn-end.ts'
import { fallbackFor, handOver, type FallbackParts } from './fallback.ts'
import { runSteps } from './loop.ts'
import { ModelError, type StepMessage } from './ports.ts'
import type { PreparedStep, PrepareStep, StepJob } from './prepare-step.ts'
import { createReply } from './reply.ts'
import type { ParentTurn, SubTurnRunner, TurnEnd, TurnJob } from './turn-job.ts'
import { nameOf, spend, type Turn } from './turn-state.ts'

/** Runs a turn to its end. Rejects with `StorageError` only: the turn, or its end, could not be stored. */
export type RunTurn = (job: TurnJob, stop: AbortSignal) => Promise<TurnEnd>

/** Lets a turn start sub-turns. `runTurn` runs them, too: a sub-turn is a turn with narrower bounds. */
export type StartSubTurns = (parent: ParentTurn, runTurn: RunTurn) => SubTurnRunner

/** What every turn needs. */
export interface TurnParts extends AskParts, AskedByToolsParts, FallbackParts {
  readonly prepareStep: PrepareStep
  readonly calibrations: AskParts['calibrations']
  readonly rememberCounts: RememberCounts
  readonly startSubTurns: StartSubTurns
  readonly limits: TurnLimits
}

/** Limits of one turn. */
export interface TurnLimits {
  /** Seconds. */
  readonly turn_s: number
  /** Requests to the model. */
  readonly turn_steps: number
  /** Milliseconds before a failed request is sent again, a pause for each further try; those of stream-step.ts when absent. */
  readonly retryPauses?: readonly number[]
}

/** Gives the function that runs turns, sub-turns included. */
export function createRunTurn(parts: TurnParts): RunTurn {
  const runTurn: RunTurn = async (job, stop) => {
    const { signal, end } = withinTime(parts.limits.turn_s, nameOf(job), stop)
    try {
      const { turn, ending } = await answer(job, signal)
      const text = turn.reply.take()
      const whole = turn.reply.finish()
      const ended = { job: turn.job, text, saidBefore: whole !== '', spent: turn.spent }
      const { last, reply } = await recordEnd(ended, ending)
      await parts.rememberCounts(turn.settings.encoding, turn.step?.rows ?? [])
      const { spent } = turn
      return { last, text: whole, ending, ...(reply ? { reply } : {}), ...(spent ? { spent } : {}) }
    } finally {
      end()
    }
  }

  /** Runs the turn, with the fallback of its model where that fails before it said anything. `before` is what that used. */
  async function answer(job: TurnJob, signal: AbortSignal, before?: Spent): Promise<Answered> {
    const turn = begin(job, signal)
    if (before) turn.spent = before
    try {
      return { turn, ending: await converse(turn, parts) }
    } catch (error) {
      // A turn that could not be stored is not announced in the room.
      await job.recorder.begun
      const next = fallbackFor(turn, error, parts)
      if (!next)
        return { turn, ending: endingOf(signal.aborted ? signal.reason : error, nameOf(job), parts.log) }
      await handOver(turn, error, next.settings.name, parts.log)
      return await answer({ ...job, model: next }, signal, turn.spent)
    } finally {
      await Promise.all([turn.subTurns.settled(), turn.askedByTools.settled()])
    }
  }

  function begin(job: TurnJob, signal: AbortSignal): Turn {
    const messages: StepMessage[] = []
    const offered = (): readonly string[] => turn.step?.toolIds ?? []
    const spent = (more: Spent): void => spend(turn, more)
    const subTurns = parts.startSubTurns({ job, signal, messages, offered, spent }, runTurn)
    const reply = createReply((text) => show(job, text))
    const askedByTools = createAskedByTools(() => turn, nameOf(job), parts)
    const { settings } = job.model
    const turn: Turn = { job, signal, messages, subTurns, askedByTools, reply, settings }
    return turn
  }

  return runTurn
}

interface Answered {
  readonly turn: Turn
  readonly ending: Ending
}

/** Asks the model and runs its calls, and says how that ended. */
async function converse(turn: Turn, parts: TurnParts): Promise<Ending> {
  const { job, signal, messages } = turn
  const name = nameOf(job)
  const maxSteps = parts.limits.turn_steps
  const replied = (reply: StepMessage): void => void messages.push(reply)
  const end = await runSteps({
    maxSteps,
    signal,
    checkCalls: createCallCheck(name),
    async ask() {
      const asked = await ask(turn, await nextStep(turn, parts), parts)
      if (asked.result.calls.length > 0) await recordSaid(turn)
      return asked
    },
    async run(calls, said, { step }) {
      messages.push(said)
      await executeTools(calls, { toolbox: step.toolbox, signal, replied })
    },
  })
  switch (end.why) {
    case 'answered':
      return done(name, end.asked.result.end)
    case 'halted':
      return await refuseAll(end.asked.step.toolbox, end.calls, end.reason)
    case 'used-up':
      return stopped(`@${name} used all ${maxSteps} steps of its turn; it was stopped`)
  }
}

async function nextStep(turn: Turn, parts: TurnParts): Promise<PreparedStep> {
  if (turn.step) return await laterStep(turn, turn.step)
  // The disk may work while the prompt is composed. The model is not asked before the turn is stored.
  const [first] = await Promise.all([firstStep(turn, parts), turn.job.recorder.begun])
  return first
}

/** The turn's own steps may leave no space for what must be in a prompt: then it ends with a sentence about that. */
async function laterStep(turn: Turn, step: PreparedStep): Promise<PreparedStep> {
  try {
    return await step.next(turn.messages)
  } catch (error) {
    if (!isOverBudget(error)) throw error
    const { contextWindow } = turn.settings
    const why = `what it has called and read in this turn leaves no space in its window of ${contextWindow} tokens`
    throw new ModelError(`${nameOf(turn.job)}: ${why}; ask for less at once`, false)
  }
}

/** What the model said before its calls is in the log before them. Rejects with `StorageError`. */
async function recordSaid({ job, reply }: Turn): Promise<void> {
  const text = reply.take()
  if (text === '') return
  await job.room.record({ kind: 'reply', author: nameOf(job), text, turn: job.recorder.id })
}

async function firstStep(turn: Turn, { known, prepareStep }: TurnParts): Promise<PreparedStep> {
  for (;;) {
    turn.settings = await known.settingsOf(turn.job.model)
    turn.signal.throwIfAborted()
    try {
      return await prepareStep(stepJobOf(turn), turn.signal)
    } catch (error) {
      // The window that a refusal taught may be too small by far. Then the provider says again what it takes.
      if (!isOverBudget(error) || !(await known.forgetWindow(turn.settings))) throw error
    }
  }
}

function stepJobOf(turnNow: Turn): StepJob {
  const { job, subTurns, askedByTools, messages } = turnNow
  const { recorder, room, requester, message, permissions, report, origin } = job
  const currentRoom = { name: room.name }
  const turn = { id: recorder.id, model: nameOf(job), currentRoom, subTurns }
  const caller = {
    room,
    requester,
    get model() {
      return turnNow.settings
    },
    turn,
    chat: chatOf(job, askedByTools.model, messages),
    report,
    ...(permissions ? { permissions } : {}),
    ...(origin ? { within: origin.within } : {}),
  }
  return { caller, message, fresh: origin?.fresh ?? false }
}

/** The turn as its tools see it: what was asked, and its steps. */
const chatOf = (job: TurnJob, model: ChatModel, messages: readonly StepMessage[]): ChatView => ({
  model,
  get messages() {
    return [{ role: 'user' as const, text: attributed(job.message) }, ...messages]
  },
})

async function refuseAll(toolbox: Toolbox, calls: readonly ToolCall[], reason: string): Promise<Ending> {
  for (const call of calls) await toolbox.refuse(call, `not run: ${reason}`)
  return stopped(reason)
}

function show(job: TurnJob, text: string): void {
  job.report('writing')
  job.room.stream({ turn: job.recorder.id, model: nameOf(job), text })
}
