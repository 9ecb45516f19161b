import type { ReportDoing } from '../toolbox/run-tool.ts'
import type { Entry, MessageEntry, ReplyEntry } from '../chat/entry.ts'
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Bounds } from '../prompt/scope.ts'
import type { PermissionProvider, SubTurns } from '../tools/context.ts'
import type { Ending } from './turn-end.ts'
import type { ConfiguredModel, StepMessage } from './ports.ts'
import type { TurnRecorder } from './turn-log.ts'
import type { Spent } from './billing.ts'

/** What a model may be called by: what a person said, or another model's reply. */
export type AnsweredEntry = MessageEntry | ReplyEntry

/** One turn that is to be run: a mention that somebody made, or a sub-turn. */
export interface TurnJob {
  readonly recorder: TurnRecorder
  readonly room: Room
  readonly requester: Person
  readonly model: ConfiguredModel
  /** What the model answers. */
  readonly message: AnsweredEntry
  /** Decides in place of the people in the room: for a script, whose caller cannot be asked. */
  readonly permissions?: PermissionProvider
  /** Is told what the turn does, for the status line: `thinking`, `writing`, or the name of a running tool. */
  readonly report: ReportDoing
  /** Present in a sub-turn. */
  readonly origin?: SubTurnOrigin
}

/** What came of a turn. */
export interface TurnEnd {
  /** The turn's last entry: its reply, or a notice after it. */
  readonly last: Entry
  /** All that the model said in the turn; empty if it said nothing. */
  readonly text: string
  readonly ending: Ending
  /** The entry of the reply; absent where the turn did not go through. */
  readonly reply?: Entry
  /** What it used; absent where no model was asked. */
  readonly spent?: Spent
}

/** What a sub-turn gets from the turn that started it. */
export interface SubTurnOrigin {
  /** 1 in a sub-turn of a turn that somebody called for, 2 in a sub-turn of that one. */
  readonly depth: number
  /** How many more sub-turns the first turn and all turns below it may start. */
  readonly budget: { left: number }
  readonly within: Bounds
  /** True if it starts without the conversation in the room. */
  readonly fresh: boolean
  /** Is told what each of its steps has used: the first turn's reply has the sum. */
  readonly spent: (spent: Spent) => void
}

/** The turn that starts sub-turns. */
export interface ParentTurn {
  readonly job: TurnJob
  /** Aborted when the turn is over; its sub-turns are over then, too. */
  readonly signal: AbortSignal
  /** All steps so far; grows while the turn runs. */
  readonly messages: readonly StepMessage[]
  /** Ids of the tools that it has in this step. */
  readonly offered: () => readonly string[]
  readonly spent: SubTurnOrigin['spent']
}

/** The sub-turns of one turn. */
export interface SubTurnRunner extends SubTurns {
  /** Resolves when all that were started have ended and are recorded. */
  settled(): Promise<void>
}
