import type { Entry, MessageEntry, TurnId, Usage } from '../chat/entry.ts'
import type { Person } from '../chat/person.ts'
import type { Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { learnFrom, type CalibrationParts } from '../prompt/calibration.ts'
import { asTold, createCallCheck, type CallCheck } from './calls.ts'
import { done, endingOf, stopped, type Ending } from './ending.ts'
import { rememberCounts } from '../prompt/history-counts.ts'
import type { PermissionProvider } from '../tools/tool.ts'
import type { ConfiguredModel, ModelRequest, StepMessage, TurnStore } from './ports.ts'
import { recordEnd } from './record-end.ts'
import { createReply, type Reply } from './reply.ts'
import { createSentLog } from './sent.ts'
import { createSideTurns, type Descent, type SideTurnRunner } from './sub-turns.ts'
import { createStage, type Stage, type StageParts } from './prepared-step.ts'
import { withinTime } from './turn-time.ts'
import { streamStep, type StepAnswer } from './step.ts'

/** One mention to be answered. */
export interface TurnJob {
  readonly id: TurnId
  readonly room: Room
  readonly requester: Person
  readonly model: ConfiguredModel
  readonly message: MessageEntry
  /** Who decides what its tools may do, where that is not the room: a script's caller. */
  readonly permissions?: PermissionProvider
  /** Told what the turn is doing, for the status line: `thinking`, or the name of a running tool. */
  readonly report: (doing: string) => void
  /** Resolves when the turn is on record; composing need not wait for the disk, but the model is not asked before. */
  readonly begun?: Promise<void>
  /** Present in a side turn. */
  readonly descent?: Descent
}

/** What every turn needs, and its limits. */
export interface TurnParts extends StageParts {
  readonly calibrations: StageParts['calibrations'] & CalibrationParts['calibrations']
  readonly turns: TurnStore
  /** Those that can be called. */
  readonly models: readonly ConfiguredModel[]
  readonly newId: () => string
  readonly limits: StageParts['limits'] & {
    readonly turn_s: number
    readonly turn_steps: number
    /** How deep side turns go; 0 for none. */
    readonly turn_depth: number
  }
  readonly retryPauses?: readonly number[]
  readonly log: Log
}

/** What a turn has come to so far. */
interface Progress {
  readonly reply: Reply
  usage?: Usage
  stage?: Stage
  side?: SideTurnRunner
}

/** What came of a turn. */
export interface TurnEnd {
  /** The reply, or a notice after it. */
  readonly last: Entry
  /** Of the reply; empty if there is none. */
  readonly text: string
  readonly ending: Ending
}

/**
 * A whole turn: composes, streams, runs tools, until the model answers without calling. Whatever happens is
 * told in the room. Rejects with `StorageError` when even that could not be recorded.
 */
export type RunTurn = (job: TurnJob, parts: TurnParts, stop: AbortSignal) => Promise<TurnEnd>

/** Runs one turn, with its side turns. */
export const runTurn: RunTurn = async (job, parts, stop) => {
  const progress: Progress = { reply: createReply((text) => show(job, text)) }
  const { signal, end } = withinTime(parts.limits.turn_s, nameOf(job), stop)
  try {
    const ending = await converse(job, parts, progress, signal).catch(async (error: unknown) => {
      // Of a turn that is not on record nothing is told in the room.
      await job.begun
      return endingOf(signal.aborted ? signal.reason : error, nameOf(job), parts.log)
    })
    await progress.side?.settled()
    const text = progress.reply.finish()
    const last = await recordEnd(job, parts, { text, usage: progress.usage }, ending)
    await rememberCounts(parts, job.model.settings.encoding, progress.stage?.rows ?? [])
    return { last, text, ending }
  } finally {
    end()
  }
}

async function converse(
  job: TurnJob,
  parts: TurnParts,
  progress: Progress,
  signal: AbortSignal,
): Promise<Ending> {
  signal.throwIfAborted()
  const steps: StepMessage[] = []
  const check = createCallCheck(nameOf(job))
  const side = createSideTurns(
    {
      ...{ job, parts, signal, steps },
      offered: () => progress.stage?.prompt.tools.map((tool) => tool.id) ?? [],
      spent: (usage) => spend(job, progress, usage),
    },
    runTurn,
  )
  progress.side = side
  const [stage] = await Promise.all([createStage({ ...job, ...job.descent, side }, parts, signal), job.begun])
  progress.stage = stage
  const record = createSentLog(job.id, parts.turns)
  for (let step = 0; step < parts.limits.turn_steps; step++) {
    if (step > 0) await stage.refresh(steps, signal)
    const request = requestOf(job, stage, steps)
    const onRecord = settled(record(request))
    const answer = await think(job, parts, progress, request, signal)
    await onRecord()
    await learnFrom(parts, job.model.settings, stage.tokens, answer.usage)
    if (answer.calls.length === 0) return done(nameOf(job), answer.reason === 'length')
    const halt = await act(job, answer, check, stage, steps, signal)
    if (halt) return stopped(halt)
  }
  return stopped(`@${nameOf(job)} used all ${parts.limits.turn_steps} steps of its turn; it was stopped`)
}

/** Lets the disk work while the model does; what was sent is on record before anything comes of it. */
function settled<T>(work: Promise<T>): () => Promise<T> {
  work.catch(() => undefined)
  return () => work
}

const requestOf = (job: TurnJob, stage: Stage, steps: readonly StepMessage[]): ModelRequest => ({
  prompt: stage.prompt,
  steps,
  tools: stage.toolbox.definitions,
  maxOutput: job.model.settings.maxOutput,
})

async function think(
  job: TurnJob,
  parts: TurnParts,
  progress: Progress,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<StepAnswer> {
  job.report('thinking')
  progress.reply.nextStep()
  const answer = await streamStep(job.model.model, request, progress.reply, signal, parts.retryPauses)
  spend(job, progress, answer.usage)
  return answer
}

/** What a side turn uses is used by the turns above it. */
function spend(job: TurnJob, progress: Progress, usage: Usage | undefined): void {
  if (!usage) return
  progress.usage = addUsage(progress.usage, usage)
  job.descent?.spent(usage)
}

/** Runs a step's calls in order, each with one answer. Gives the reason where the turn must stop here. */
async function act(
  job: TurnJob,
  answer: StepAnswer,
  check: CallCheck,
  stage: Stage,
  steps: StepMessage[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { calls, halt } = check(answer.calls)
  if (halt) {
    for (const call of calls) await stage.toolbox.refuse(call, `not run: ${halt}`)
    return halt
  }
  steps.push({ role: 'assistant', text: answer.text, calls: calls.map(asTold) })
  for (const call of calls) {
    signal.throwIfAborted()
    job.report(cleanLine(call.name))
    const { text } = await stage.toolbox.run(call, signal)
    steps.push({ role: 'tool', call: call.id, name: call.name, content: text })
  }
  signal.throwIfAborted()
  return undefined
}

const nameOf = (job: TurnJob): string => job.model.settings.name

const show = (job: TurnJob, text: string): void => {
  job.report('writing')
  job.room.stream({ turn: job.id, model: nameOf(job), text })
}

const addUsage = (sum: Usage | undefined, more: Usage): Usage =>
  sum ? { input: sum.input + more.input, output: sum.output + more.output } : more
