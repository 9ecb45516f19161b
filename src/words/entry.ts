import type { OutsideSource } from './outside.ts'
import type { PersonId } from './person.ts'
import type { Brand } from '../base/basics.ts'
import type { Json } from '../base/json.ts'

/** Sorts in time order as a plain string (a ULID). */
export type EntryId = Brand<'EntryId'>

/** One model's turn, from the mention to the last step. Sorts in time order. */
export type TurnId = Brand<'TurnId'>

export type RoomName = Brand<'RoomName'>

export interface Usage {
  readonly input: number
  readonly cached?: number
  readonly output: number
  readonly estimated?: { readonly input: number; readonly output: number }
}

export interface TurnBill {
  readonly usage?: Usage
  readonly durationMs?: number
  /** An exact decimal number in the currency of the config's prices. */
  readonly cost?: string
}

/** `cut`: the server died in the middle; the next start records it. */
export type TurnOutcome = 'done' | 'stopped' | 'failed' | 'cut'

interface EntryBase {
  readonly id: EntryId
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly room: RoomName
  /** The name at that time of the person or model, or `system`; of a persona, with its model's (names.ts). */
  readonly author: string
  /** The persona of the room that spoke, and its model. */
  readonly persona?: string
  readonly model?: string
  /** The person who said it; absent in old logs. Shown to nobody. */
  readonly by?: PersonId
  readonly text: string
  /** The line rings everybody in the room: an op, owner or admin said `@all`. */
  readonly toAll?: true
  /** The turn whose side turn recorded the entry, which is shown shortened, outside the conversation. */
  readonly thread?: TurnId
  /** The round of the panel, if the turn in `thread` is a panel. */
  readonly round?: number
  /** A fork copied the line from its original room. Only messages, actions and replies have it. */
  readonly copied?: true
  /** The line came through MCP, HTTP POST or a pipe; `by_program` in JSON. Absent in old logs. */
  readonly byProgram?: true
}

export interface MessageEntry extends EntryBase {
  readonly kind: 'message'
  /** The id of the first version of the message that this one replaces. */
  readonly edits?: EntryId
  /** The message came by HTTP, so it does not call `on_message` of the room's script. */
  readonly posted?: true
  /** The number of the routine that said the message in its author's name. */
  readonly routine?: number
  /** In a log that was read `revised`: the entry that gave this message its text. */
  readonly edited?: EntryId
}

export interface ActionEntry extends EntryBase {
  readonly kind: 'action'
  readonly reacts?: EntryId
  readonly to?: string
}

export interface PresenceEntry extends EntryBase {
  readonly kind: 'presence'
  readonly event: 'joined' | 'left'
}

/** Several people came or went. Each list has a name once; somebody who came and went is in both. */
export interface PresenceSumEntry extends EntryBase {
  readonly kind: 'presence'
  readonly event: 'summed'
  readonly joined: readonly string[]
  readonly left: readonly string[]
}

export interface NoticeEntry extends EntryBase, TurnBill {
  readonly kind: 'notice'
  readonly level: 'info' | 'error'
  readonly turn?: TurnId
  readonly retracts?: EntryId
  /** The person whose lines were removed from the log. Shown to nobody, like `by`. */
  readonly purged?: Speaker
  readonly act?: ModerationAct
}

/** A person under any name; without an id, all guests who had the name. */
export interface Speaker {
  readonly name: string
  readonly id?: PersonId
}

export interface ModerationAct {
  readonly verb:
    | ('op' | 'deop' | 'kick' | 'mute' | 'unmute' | 'ban' | 'unban')
    | ('invite' | 'uninvite' | 'owner' | 'archive' | 'unarchive' | 'rename-room' | 'delete')
  /** A name, the room if everybody in it is meant, `a key` or `a network`. */
  readonly who: string
  readonly until?: string
  readonly reason?: string
}

export interface ReplyEntry extends EntryBase, TurnBill {
  readonly kind: 'reply'
  readonly turn: TurnId
  /** Absent if calls of tools follow. */
  readonly outcome?: TurnOutcome
}

/** A tool call that begins; with `notRun` it did not run, as its result says. `author` is the caller. */
export interface ToolCallEntry extends EntryBase {
  readonly kind: 'tool_call'
  readonly turn?: TurnId
  readonly call: string
  /** The name that the caller used, whether or not there is such a tool. */
  readonly name: string
  readonly tool?: string
  readonly arguments: Json
  /** The call was denied, or could not be run. */
  readonly notRun?: true
  readonly requester: string
}

/** Models read the text that `textForModels` (outside.ts) returns. */
export interface ToolResultEntry extends EntryBase {
  readonly kind: 'tool_result'
  readonly turn?: TurnId
  readonly call: string
  readonly name: string
  readonly tool?: string
  readonly isError: boolean
  readonly durationMs: number
  readonly bytes: number
  /** Present if strangers wrote a part of the text. */
  readonly outside?: OutsideSource
}

export interface ScopeEntry extends EntryBase {
  readonly kind: 'scope'
  readonly scope: Json
  /** The model that the scope is for; absent if it is for the room. */
  readonly model?: string
}

/** A permission was asked for, given or refused; `author` asked or answered. */
export interface ApprovalEntry extends EntryBase {
  readonly kind: 'approval'
  readonly turn?: TurnId
  readonly tool: string
  readonly requester: string
  readonly question?: number
  /** With `asked`: the names of people present who may answer. */
  readonly answerers?: readonly string[]
  readonly verdict: 'asked' | 'once' | 'room' | 'always' | 'denied' | 'revoked'
}

/** A routine was made, changed, paused or ended; `author` did it, or is the routine's person. */
export interface RoutineEntry extends EntryBase {
  readonly kind: 'routine'
  /** The routine's number in the room. */
  readonly routine: number
  readonly event: 'made' | 'changed' | 'paused' | 'ended'
}

/** What happened to one file. Of a removed file the size and type are absent. */
export interface FileNote {
  /** Its path in the workspace, cleaned. */
  readonly name: string
  readonly event: 'made' | 'changed' | 'removed'
  readonly size?: number
  /** The type by the file's first bytes: `text`, `PNG picture`. */
  readonly type?: string
}

/** Files came into the workspace or were changed there; `author` did it. */
export interface FileEntry extends EntryBase {
  readonly kind: 'file'
  /** The turn whose command changed the files. */
  readonly turn?: TurnId
  /** At most the first `MAX_FILE_NOTES` files. */
  readonly files: readonly FileNote[]
}

/** All that can happen in a room. Handle it with an exhaustive `switch` on `kind`. */
export type Entry =
  | MessageEntry
  | ActionEntry
  | PresenceEntry
  | PresenceSumEntry
  | NoticeEntry
  | ReplyEntry
  | ToolCallEntry
  | ToolResultEntry
  | ScopeEntry
  | ApprovalEntry
  | RoutineEntry
  | FileEntry

export type EntryKind = Entry['kind']

const KINDS: Readonly<Record<EntryKind, true>> = {
  message: true,
  action: true,
  presence: true,
  notice: true,
  reply: true,
  tool_call: true,
  tool_result: true,
  scope: true,
  approval: true,
  routine: true,
  file: true,
}

/** False for kinds of another version of the program. */
export const isEntryKind = (kind: string): kind is EntryKind => Object.hasOwn(KINDS, kind)

type WithoutIdentity<E> = E extends Entry ? Omit<E, 'id' | 'at' | 'room'> : never

export type NewEntry = WithoutIdentity<Entry>

export type Recorded<New extends NewEntry> = New & Pick<Entry, 'id' | 'at' | 'room'>

export interface ReplyDelta {
  readonly room: RoomName
  readonly turn: TurnId
  readonly model: string
  readonly text: string
  /** True for thoughts of the model, which are no part of the reply. */
  readonly thinking?: true
}
