import type { Usage } from '../chat/entry.ts'
import type { Log } from '../chat/ports.ts'
import type { Calibrations } from '../prompt/calibration.ts'
import { attributed } from '../prompt/gather-snapshot.ts'
import type { RememberCounts } from '../prompt/history-counts.ts'
import { asRepeated, createCallCheck, type ToolCall } from '../toolbox/tool-call.ts'
import { executeTools, type Toolbox } from '../toolbox/toolbox.ts'
import type { ChatView } from '../tools/conversation.ts'
import { done, endingOf, recordEnd, stopped, withinTime, type Ending } from './ending.ts'
import type { StepMessage } from './ports.ts'
import type { PreparedStep, PrepareStep, StepJob } from './prepared-step.ts'
import { createReply, type Reply } from './reply.ts'
import { streamStep, type StepResult } from './step.ts'
import type { ParentTurn, SubTurnRunner, TurnEnd, TurnJob } from './turn-job.ts'

/** Runs a turn to its end. Rejects with `StorageError` only: the turn, or its end, could not be stored. */
export type RunTurn = (job: TurnJob, stop: AbortSignal) => Promise<TurnEnd>

/** Lets a turn start sub-turns. `runTurn` runs them, too: a sub-turn is a turn with narrower bounds. */
export type StartSubTurns = (parent: ParentTurn, runTurn: RunTurn) => SubTurnRunner

/** What every turn needs. */
export interface TurnParts {
  readonly prepareStep: PrepareStep
  readonly calibrations: Pick<Calibrations, 'learnFrom'>
  readonly rememberCounts: RememberCounts
  readonly startSubTurns: StartSubTurns
  readonly limits: TurnLimits
  readonly log: Log
}

/** Limits of one turn. */
export interface TurnLimits {
  /** Seconds. */
  readonly turn_s: number
  /** Requests to the model. */
  readonly turn_steps: number
  /** Milliseconds before a failed request is sent again, a pause for each further try; those of step.ts when absent. */
  readonly retryPauses?: readonly number[]
}

/** A turn while it runs. */
interface Turn {
  readonly job: TurnJob
  readonly signal: AbortSignal
  readonly reply: Reply
  /** All steps so far. */
  readonly messages: StepMessage[]
  readonly subTurns: SubTurnRunner
  /** The newest step; absent until the first prompt is composed. */
  step?: PreparedStep
  usage?: Usage
}

/** Gives the function that runs turns, sub-turns included. */
export function createRunTurn(parts: TurnParts): RunTurn {
  const runTurn: RunTurn = async (job, stop) => {
    const { signal, end } = withinTime(parts.limits.turn_s, nameOf(job), stop)
    const turn = begin(job, signal)
    try {
      const ending = await converse(turn, parts).catch(async (error: unknown) => {
        // A turn that could not be stored is not announced in the room.
        await job.recorder.begun
        return endingOf(signal.aborted ? signal.reason : error, nameOf(job), parts.log)
      })
      await turn.subTurns.settled()
      const text = turn.reply.finish()
      const last = await recordEnd({ job, text, usage: turn.usage }, ending)
      await parts.rememberCounts(job.model.settings.encoding, turn.step?.rows ?? [])
      return { last, text, ending }
    } finally {
      end()
    }
  }

  function begin(job: TurnJob, signal: AbortSignal): Turn {
    const messages: StepMessage[] = []
    const offered = (): readonly string[] => turn.step?.toolIds ?? []
    const spent = (usage: Usage): void => spend(turn, usage)
    const subTurns = parts.startSubTurns({ job, signal, messages, offered, spent }, runTurn)
    const turn: Turn = { job, signal, messages, subTurns, reply: createReply((text) => show(job, text)) }
    return turn
  }

  return runTurn
}

/** The loop: asks the model and runs its calls, until it answers without a call or must be stopped. */
async function converse(turn: Turn, parts: TurnParts): Promise<Ending> {
  const { job, signal, messages } = turn
  const { turn_steps } = parts.limits
  const name = nameOf(job)
  const checkCalls = createCallCheck(name)
  signal.throwIfAborted()
  // The disk may work while the prompt is composed. The model is not asked before the turn is stored.
  let [step] = await Promise.all([parts.prepareStep(stepJobOf(turn), signal), job.recorder.begun])
  for (let number = 1; number <= turn_steps; number++) {
    if (number > 1) step = await step.next(messages)
    turn.step = step
    const { text, calls: asked, reason } = await ask(turn, step, parts)
    if (asked.length === 0) return done(name, reason === 'length')
    const { calls, halt } = checkCalls(asked)
    if (halt !== undefined) return await refuseAll(step.toolbox, calls, halt)
    messages.push({ role: 'assistant', text, calls: calls.map(asRepeated) })
    const replied = (reply: StepMessage): void => void messages.push(reply)
    await executeTools(calls, { toolbox: step.toolbox, signal, replied })
    signal.throwIfAborted()
  }
  return stopped(`@${name} used all ${turn_steps} steps of its turn; it was stopped`)
}

function stepJobOf({ job, subTurns, messages }: Turn): StepJob {
  const { recorder, room, requester, model, message, permissions, report, origin } = job
  const currentRoom = { name: room.name }
  const turn = { id: recorder.id, model: nameOf(job), currentRoom, subTurns }
  const caller = {
    room,
    requester,
    model: model.settings,
    turn,
    chat: chatOf(job, messages),
    report,
    ...(permissions ? { permissions } : {}),
    ...(origin ? { within: origin.within } : {}),
  }
  return { caller, message, fresh: origin?.fresh ?? false }
}

/** The turn as its tools see it: what was asked, and its steps. */
const chatOf = (job: TurnJob, messages: readonly StepMessage[]): ChatView => ({
  model: nameOf(job),
  get messages() {
    return [{ role: 'user' as const, text: attributed(job.message) }, ...messages]
  },
})

/** Sends one request. It is stored while the model works; what follows from the answer waits until it is. */
async function ask(turn: Turn, step: PreparedStep, parts: TurnParts): Promise<StepResult> {
  const { job, signal, reply } = turn
  const { settings, model } = job.model
  const { prompt, messages: steps, definitions: tools } = step
  const request = { prompt, steps, tools, maxOutput: settings.maxOutput }
  const stored = job.recorder.sent(request)
  stored.catch(() => undefined)
  job.report('thinking')
  reply.nextStep()
  const result = await streamStep(model, request, reply, signal, parts.limits.retryPauses)
  if (result.usage) spend(turn, result.usage)
  await stored
  await parts.calibrations.learnFrom(settings, step.tokens, result.usage)
  return result
}

async function refuseAll(toolbox: Toolbox, calls: readonly ToolCall[], reason: string): Promise<Ending> {
  for (const call of calls) await toolbox.refuse(call, `not run: ${reason}`)
  return stopped(reason)
}

/** Adds to what the turn has used. The turn that started a sub-turn counts it as well. */
function spend(turn: Turn, { input, output }: Usage): void {
  const sum = turn.usage ?? { input: 0, output: 0 }
  turn.usage = { input: sum.input + input, output: sum.output + output }
  turn.job.origin?.spent({ input, output })
}

const nameOf = (job: TurnJob): string => job.model.settings.name

function show(job: TurnJob, text: string): void {
  job.report('writing')
  job.room.stream({ turn: job.recorder.id, model: nameOf(job), text })
}
