// The other servers of the database: src/cluster for several servers, local-peers.ts for one alone.

import type { JsonObject } from '../base/json.ts'
import type { RoomName } from '../words/entry.ts'
import type { ClientAct } from './moderation/ports.ts'
import type { Person, PersonId } from '../words/person.ts'
import type { DirectMessage } from './talk/ports.ts'
import type { ToolProgress } from '../words/tool-progress.ts'

export interface Broadcasts {
  readonly stop: { readonly id: string; readonly reason: string }
  readonly clients: ClientAct
  /** `to` has the current name. */
  readonly message: {
    readonly message: DirectMessage
    readonly to: Pick<Person, 'id' | 'name' | 'guest'>
  }
  /** A guest's reason for being away; null if the guest came back. */
  readonly guestAway: { readonly person: PersonId; readonly text: string | null }
  readonly invited: { readonly person: PersonId }
}

/** Methods reject with `StorageError` only; `entered`, `left` and `broadcast` never reject. */
export interface Peers {
  /** Call it for the first participant here. True if it was stored and no other server has the person. */
  entered(room: RoomName, person: Person): Promise<boolean>
  /** Call it for the person's last participant here; otherwise as `entered`. */
  left(room: RoomName, person: Person): Promise<boolean>
  /** The people in a room through other servers, each once; the same list as long as nothing changes. */
  peopleIn(room: RoomName): readonly Person[]
  find(id: PersonId): Person | undefined
  /** Finds a guest on another server whose name looks like this one. */
  findGuest(name: string): Person | undefined
  /** True for ten seconds after a person left, who may come to another server; then `watch` reports it. */
  mayReturn(room: RoomName, id: PersonId): boolean
  rooms(): readonly RoomName[]
  /** How many servers, with this one, use the key (limits.ts). Each grants an equal part of the limits. */
  serversOf(quotaKey: string): number
  /** Sends `data` to each other server, which handles it once, soon. Logs failures. */
  broadcast<Kind extends keyof Broadcasts>(kind: Kind, data: Broadcasts[Kind]): Promise<void>
  /** Undefined if changes of other servers were read lately. Otherwise resolves once they are read. */
  upToDate(): Promise<void> | undefined
  /** What is wrong between the servers, in sentences for admins. */
  problems(): readonly string[]
  /** Calls `changed` after people, work or questions of the room change on other servers, until stopped. */
  watch(room: RoomName, changed: () => void): () => void
  /**
   * Keeps everybody out of the room on other servers until `openRoom` or the end of this server. Resolves
   * when everybody is out and has seen `news`, or after some seconds; to false if another server closed it.
   */
  closeRoom(room: RoomName, news: string): Promise<boolean>
  openRoom(room: RoomName): Promise<void>
  readonly slots: Slots
  readonly questions: Questions
}

export interface Work {
  readonly id: string
  readonly kind: 'turn' | 'run' | 'summary' | 'hook'
  /** All work of a queue shares its slots. */
  readonly queue: string
  readonly room: RoomName
  /** Empty for the server itself. */
  readonly person: PersonId
  /** Facts that other servers show. */
  readonly facts: JsonObject
}

export interface SlotLimits {
  readonly running: number
  readonly waiting: number
}

export interface Slots {
  /** Resolves to a slot, or the numbers of a full queue. Calls `lost` if others may have got the slot. */
  take(
    work: Work,
    limits: () => SlotLimits,
    hooks: { stop(reason: string): void; lost(): void },
  ): Promise<Slot | SlotLimits>
  /** The work of other servers, in the order of the requests. */
  others(kind: Work['kind'], room?: RoomName): readonly RemoteWork[]
  /** Asks the server that runs the work to end it soon. */
  stop(id: string, reason: string): Promise<void>
}

export interface Slot {
  readonly ready: Promise<void>
  giveUp(): void
  /** Frees the slot, once. Never rejects. */
  leave(): Promise<void>
  /** Sets what the work is doing; other servers show it within two seconds. */
  report(doing: string, progress?: ToolProgress): void
}

export interface RemoteWork extends Work {
  readonly waits: boolean
  readonly doing: { readonly what?: string; readonly progress?: ToolProgress }
  /** In milliseconds since the epoch, by the clock of this server. */
  readonly startedAt: number
  ended(): Promise<void>
  stop(reason: string): void
}

/** The reason to end work if other servers expired this one. */
export const SERVER_LOST = 'the server lost the database'

export interface QuestionKey {
  readonly room: RoomName
  readonly number: number
}

export interface QuestionCounts {
  readonly open: number
  readonly own: number
}

export interface RemoteQuestion extends QuestionKey {
  readonly asked: JsonObject
}

export interface Questions {
  /** Resolves to the counts if `mayOpen` rejects them. Calls `answered` once if another server answers. */
  open(
    question: { readonly room: RoomName; readonly person: PersonId; readonly asked: JsonObject },
    mayOpen: (counts: QuestionCounts) => boolean,
    answered: (answer: JsonObject) => void,
  ): Promise<number | QuestionCounts>
  /** `answered`: an answer is under way. `gone`: other servers expired this one, and notified the room. */
  close(question: QuestionKey): Promise<'closed' | 'answered' | 'gone'>
  answer(question: QuestionKey, answer: JsonObject): Promise<boolean>
  others(room: RoomName): readonly RemoteQuestion[]
}
