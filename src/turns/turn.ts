import type { Entry, MessageEntry, ReplyEntry } from '../words/entry.ts'
import type { Person } from '../words/person.ts'
import type { Room } from '../chat/index.ts'
import type { CountedRequest, ModelSettings, HistoryRow } from '../wrap/index.ts'
import type { Bounds } from '../wrap/scope/index.ts'
import type { SentOffer, ReportDoing } from '../wrap/toolbox/index.ts'
import type { RoomToolbox } from './room-toolbox.ts'
import type { ChatModel, PermissionProvider, SubTurns } from '../tools/index.ts'
import type { Spent } from './billing.ts'
import type { ConfiguredModel, ModelRequest, StepMessage, Reply } from '../wrap/loop/index.ts'
import type { Panel } from './panels/panel.ts'
import type { Persona } from './personas.ts'
import type { RoutineRun } from './routines/index.ts'
import type { TurnRecorder } from './turn-log.ts'

/** The entry that a turn answers: a person's message or another model's reply. */
export type AnsweredEntry = MessageEntry | ReplyEntry

export interface TurnRequest {
  readonly recorder: TurnRecorder
  readonly room: Room
  readonly requester: Person
  readonly model: ConfiguredModel
  /** The persona that was mentioned; a fallback answers as it, too. */
  readonly persona?: Persona
  /** Names of the models that failed before this fallback was asked. */
  readonly insteadOf?: readonly string[]
  readonly message: AnsweredEntry
  /** Answers permission questions instead of people in the room: a script's caller cannot be asked. */
  readonly permissions?: PermissionProvider
  /** The routine run that the turn belongs to. */
  readonly routine?: RoutineRun
  /** The panel that the turn is, or is a part of: its tools only read, its answer calls nobody. */
  readonly panel?: Panel
  /** Usage of the turn's other requests, which its bill includes. */
  readonly before?: Spent
  /** Sets the status line to `thinking`, `writing` or the name of a running tool. */
  readonly report: ReportDoing
  /** Present in a side turn. */
  readonly origin?: SideTurnOrigin
}

/** What a side turn gets from the turn that started it. */
export interface SideTurnOrigin {
  /** The turn that started the side turn. The side turn's usage is added to its `spent` too. */
  readonly parent: SpentBy
  /** 1 if a top-level turn started the side turn, 2 if a side turn of depth 1 did. */
  readonly depth: number
  /** Side turns that the top-level turn and all below it may still start. */
  readonly budget: { left: number }
  readonly within?: Bounds
  /** True if the side turn starts without the room's conversation. */
  readonly fresh: boolean
}

/** Usage and cost so far, including side turns. */
export interface SpentBy {
  spent?: Spent
  readonly origin?: SideTurnOrigin
}

export interface Turn extends TurnRequest, SpentBy {
  readonly signal: AbortSignal
  readonly reply: Reply
  readonly messages: StepMessage[]
  readonly sideTurns: SideTurns
  readonly questions: ToolQuestions
  /** The model's settings, with the limits learned from its server and refusals. */
  settings: ModelSettings
  step?: PreparedStep
}

export interface TurnEnd {
  /** The reply, or a notice after it; the answered entry if a routine's run said nothing. */
  readonly last: Entry
  /** All that the model said in the turn. */
  readonly text: string
  readonly ending: Ending
  /** Absent unless `ending.outcome` is `done`. */
  readonly reply?: Entry
  readonly spent?: Spent
}

/** Runs a turn to its end. Rejects with `StorageError` only: the turn, or its end, could not be stored. */
export type RunTurn = (request: TurnRequest, stop: AbortSignal) => Promise<TurnEnd>

/** How a turn ended. `notice` is shown in the room in addition to the reply. */
export type Ending =
  | {
      readonly outcome: 'done'
      readonly notice?: Notice
      /** The model's thoughts, if it gave no answer. */
      readonly thought?: string
      /** The calls in the answer that the model's server left in the text. */
      readonly writtenCall?: string
    }
  | { readonly outcome: 'stopped' | 'failed'; readonly notice: Notice }

export interface Notice {
  readonly level: 'info' | 'error'
  readonly text: string
}

type StepContent = Pick<ModelRequest, 'prompt' | 'messages' | 'tools' | 'pictures'>

export interface PreparedStep {
  /** The content to send, with shortened messages if this turn has no space for all. */
  readonly content: StepContent
  /** Ids of all tools that can be called. */
  readonly toolIds: readonly string[]
  readonly toolbox: RoomToolbox
  readonly nameOf: SentOffer['nameOf']
  /** This step's request in tokens of our count. */
  readonly size: CountedRequest
  /** The rows of history that the prompt was made from. */
  readonly rows: readonly HistoryRow[]
  /**
   * Prepares the next step. `messages`: of all steps, unshortened. Composes again if tools in scope changed,
   * found or called tools are missing, or messages need older history's tokens. Rejects as `PrepareStep`.
   */
  next(messages: readonly StepMessage[]): Promise<PreparedStep>
  /** Prepares this step again with the model's current settings. Rejects likewise. */
  again(messages: readonly StepMessage[]): Promise<PreparedStep>
}

export interface SideTurns extends SubTurns {
  /** Resolves when all started side turns have ended and are recorded. */
  settled(): Promise<void>
}

export interface ToolQuestions {
  readonly model: ChatModel
  /** Resolves when all questions have ended and are charged. */
  settled(): Promise<void>
}
