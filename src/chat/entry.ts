import type { Outside } from './outside.ts'
import type { PersonId } from './people/person.ts'
import type { Brand } from '../lib/basics.ts'
import type { Json } from '../lib/json.ts'

/** Sorts in time order as a plain string (a ULID). */
export type EntryId = Brand<'EntryId'>

/** One model's turn: from the mention to the last step. Sorts in time order. */
export type TurnId = Brand<'TurnId'>

/** As chat/people/names.ts has it. */
export type RoomName = Brand<'RoomName'>

/** The tokens of a model's turn, as the provider reported them, with our own count for what it did not report. */
export interface Usage {
  /** Tokens the provider says it read, all steps of the turn together. */
  readonly input: number
  /** Of `input`, those that it had in its cache; absent where it does not say. */
  readonly cached?: number
  /** Tokens it wrote. */
  readonly output: number
  /** Of these, our own count, where a request ended before its report; absent where everything was reported. */
  readonly estimated?: { readonly input: number; readonly output: number }
}

/** What a turn used, with the last entry that it has. */
export interface TurnBill {
  readonly usage?: Usage
  /** From the mention to the end of the turn. */
  readonly durationMs?: number
  /** What the turn cost, exactly: a decimal number in the currency of the config's prices; absent where it has none. */
  readonly cost?: string
}

/** How a model's turn ended. `cut`: the server died in the middle, which is found at the next start. */
export type TurnOutcome = 'done' | 'stopped' | 'failed' | 'cut'

interface EntryBase {
  readonly id: EntryId
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly room: RoomName
  /** The name of the person or model, or `system`. It stays that of the time, whoever has it now. */
  readonly author: string
  /** The person behind a name that people can change; absent where no person said it, and in entries of old logs. Shown to nobody. */
  readonly by?: PersonId
  /** Text as `cleanText` of lib/text/clean-text.ts gives it; what a person reads where nothing better is drawn. */
  readonly text: string
  /** The turn that started the sub-turn to which the entry belongs. Such an entry is shown in short and is no part of the conversation. */
  readonly thread?: TurnId
}

/** Somebody spoke: a person, or a model through the `say` tool. */
export interface MessageEntry extends EntryBase {
  readonly kind: 'message'
  /** The message of the same author that this is a new version of: always the first version. */
  readonly edits?: EntryId
  /** In a log that was read `revised`: the entry that gave this message its text. */
  readonly edited?: EntryId
}

/** Somebody did something: `/me waves`. */
export interface ActionEntry extends EntryBase {
  readonly kind: 'action'
  /** The entry that somebody reacts to; `text` is the emoji alone. */
  readonly reacts?: EntryId
  /** Who wrote that entry. */
  readonly to?: string
}

/** Somebody came or went. `text` is the whole sentence. */
export interface PresenceEntry extends EntryBase {
  readonly kind: 'presence'
  readonly event: 'joined' | 'left'
}

/** Several came or went. Each name stands once in a list, in the order of time; in both for a person who came and went. */
export interface PresenceSumEntry extends EntryBase {
  readonly kind: 'presence'
  readonly event: 'summed'
  readonly joined: readonly string[]
  readonly left: readonly string[]
}

/** The room speaking: a topic changed, a turn failed, a limit was met. One that ends a turn without a reply has its bill. */
export interface NoticeEntry extends EntryBase, TurnBill {
  readonly kind: 'notice'
  readonly level: 'info' | 'error'
  readonly turn?: TurnId
  /** What `author` took back: a message, an action or a reaction of their own. */
  readonly retracts?: EntryId
  /** Present where an op, an admin or the person themself changed who may come in, speak or belong to a room. */
  readonly act?: ModerationAct
}

/** What the author of a notice did, and to whom. */
export interface ModerationAct {
  readonly verb:
    | ('op' | 'deop' | 'kick' | 'mute' | 'unmute' | 'ban' | 'unban')
    | ('invite' | 'uninvite' | 'archive' | 'unarchive' | 'delete')
  /** A name; the room if all in it are meant; `a key` or `a network` instead of those. */
  readonly who: string
  /** When it is over, in ISO 8601; absent if it lasts. */
  readonly until?: string
  readonly reason?: string
}

/** What a model said; `author` is the model. The last one of a turn has its outcome and what it used. */
export interface ReplyEntry extends EntryBase, TurnBill {
  readonly kind: 'reply'
  readonly turn: TurnId
  /** Absent where the model said it before a call, and went on. */
  readonly outcome?: TurnOutcome
}

/** A tool begins to run, after all permissions were given, or it does not run: the result says why. `author` is the caller. */
export interface ToolCallEntry extends EntryBase {
  readonly kind: 'tool_call'
  readonly turn?: TurnId
  /** The provider's id of this call, unique within the turn. */
  readonly call: string
  /** The name that the caller used, whether or not such a tool exists. */
  readonly name: string
  /** The tool's stable id; absent when there is no such tool in scope. */
  readonly tool?: string
  /** All texts in it are cleaned. */
  readonly arguments: Json
  /** True where it was denied, or could not be run at all. */
  readonly notRun?: true
  /** The person on whose behalf it runs. */
  readonly requester: string
}

/** What came back from the call; a model reads it as `textForModels` of outside.ts gives it. */
export interface ToolResultEntry extends EntryBase {
  readonly kind: 'tool_result'
  readonly turn?: TurnId
  readonly call: string
  readonly name: string
  readonly tool?: string
  readonly isError: boolean
  readonly durationMs: number
  /** Size of `text` in UTF-8. */
  readonly bytes: number
  /** Present if strangers wrote a part of the text. */
  readonly outside?: Outside
}

/** The room's tool scope changed; `author` did it. */
export interface ScopeEntry extends EntryBase {
  readonly kind: 'scope'
  readonly scope: Json
}

/** A permission was asked for, given or refused; `author` asked or answered. */
export interface ApprovalEntry extends EntryBase {
  readonly kind: 'approval'
  readonly turn?: TurnId
  readonly tool: string
  readonly requester: string
  /** The number that answers name; absent where nobody was asked. */
  readonly question?: number
  /** With `asked`: the names of people present who may answer. */
  readonly answerers?: readonly string[]
  readonly verdict: 'asked' | 'once' | 'room' | 'always' | 'denied' | 'revoked'
}

/** Everything that can happen in a room. Handle it with an exhaustive `switch` on `kind`. */
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
}

/** False for what only another version of the program records. */
export const isEntryKind = (kind: string): kind is EntryKind => Object.hasOwn(KINDS, kind)

type WithoutIdentity<E> = E extends Entry ? Omit<E, 'id' | 'at' | 'room'> : never

/** An entry before the room has given it an id, a time and its own name. */
export type NewEntry = WithoutIdentity<Entry>

/** A new entry once it is recorded. */
export type Recorded<New extends NewEntry> = New & Pick<Entry, 'id' | 'at' | 'room'>

/** A piece of a reply as it is being written. Never stored: the whole reply becomes an entry. */
export interface ReplyDelta {
  readonly room: RoomName
  readonly turn: TurnId
  readonly model: string
  /** Cleaned text to append to what came before. */
  readonly text: string
  /** True for what the model thinks before it answers, which is no part of the reply. */
  readonly thinking?: true
}
