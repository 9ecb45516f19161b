// The port to the other servers of the same database. src/cluster implements it for several servers, and local-peers.ts for
// one that is alone. The core must not know which of them it has.

import type { JsonObject } from '../lib/json.ts'
import type { RoomName } from './entry.ts'
import type { ClientAct } from './moderation/clients.ts'
import type { Person, PersonId } from './people/person.ts'
import type { DirectMessage } from './talk/ports.ts'
import type { ToolProgress } from './tool-progress.ts'

/** What all other servers are asked to do. Data is JSON. */
export interface Broadcasts {
  /** Stops a piece of work: a turn, a tool run or a summary. */
  readonly stop: { readonly id: string; readonly reason: string }
  /** Tells some clients something, ends them, or takes them out of a room. */
  readonly clients: ClientAct
  /** Shows a message to one person. `to` has the name of now. */
  readonly message: {
    readonly message: DirectMessage
    readonly to: Pick<Person, 'id' | 'name' | 'guest'>
  }
  /** A guest, who is stored nowhere, is away with this text, or came back: null. */
  readonly guestAway: { readonly person: PersonId; readonly text: string | null }
  /** Tells somebody of their invitations. */
  readonly invited: { readonly person: PersonId }
}

/** The other servers of the database. Methods reject with `StorageError` only, if at all. */
export interface Peers {
  /**
   * The person's first participant on this server came in. Resolves to true if the room is to be told: the person is in it
   * through no other server, and that is stored. Never rejects.
   */
  entered(room: RoomName, person: Person): Promise<boolean>
  /** The person's last participant on this server left. As `entered`. */
  left(room: RoomName, person: Person): Promise<boolean>
  /** The people in a room through other servers, each once. The same list as long as nothing changes. */
  peopleIn(room: RoomName): readonly Person[]
  /** Somebody who is in any room through another server. */
  find(id: PersonId): Person | undefined
  /** A guest there with a name that looks like this one. */
  findGuest(name: string): Person | undefined
  /** True for ten seconds after somebody left: they may be on their way to another server. Then `watch` tells of it. */
  mayReturn(room: RoomName, id: PersonId): boolean
  /** The rooms that people are in through other servers. */
  rooms(): readonly RoomName[]
  /**
   * The number of servers on which a person, a key or a network is in a room, this one included: each gives its share of
   * their limits. `quotaKey` is a name of limits.ts.
   */
  serversOf(quotaKey: string): number
  /** Each other server does this once, soon. What could not be sent is in the log. Never rejects. */
  broadcast<Kind extends keyof Broadcasts>(kind: Kind, data: Broadcasts[Kind]): Promise<void>
  /**
   * Undefined if what other servers decided of people and rooms was read lately. Otherwise (this server stood still) it
   * resolves once all that they decided until now is known here.
   */
  upToDate(): Promise<void> | undefined
  /** What is wrong between the servers, in sentences for admins. */
  problems(): readonly string[]
  /** Calls `changed` after people, work or questions of other servers changed in a room. Returns the function that ends it. */
  watch(room: RoomName, changed: () => void): () => void
  /**
   * Nobody gets into the room through other servers or says something there, until it is opened or this server has died;
   * the people there are told that `by` deleted it. Resolves when they are out, or after some seconds; to false if another
   * server has closed it.
   */
  closeRoom(room: RoomName, by: string): Promise<boolean>
  openRoom(room: RoomName): Promise<void>
  readonly slots: Slots
  readonly questions: Questions
}

/** Something at work: a turn of a model, a tool that a person runs, the summary of a room, or a hook of its script. */
export interface Work {
  readonly id: string
  readonly kind: 'turn' | 'run' | 'summary' | 'hook'
  /** Works of one queue share its slots. */
  readonly queue: string
  readonly room: RoomName
  /** The person who asked for it; empty for the server itself. */
  readonly person: PersonId
  /** What other servers show of it. */
  readonly facts: JsonObject
}

/** How many works of a queue run at once, and how many wait. */
export interface SlotLimits {
  readonly running: number
  readonly waiting: number
}

/** The slots of all queues, on all servers together. */
export interface Slots {
  /**
   * Takes a slot, or waits for one. Resolves to the numbers of those that run and wait if the queue is full. `stop` is called
   * to end the work soon; `lost`, if other servers may have given the slot away.
   */
  take(
    work: Work,
    limits: () => SlotLimits,
    hooks: { stop(reason: string): void; lost(): void },
  ): Promise<Slot | SlotLimits>
  /** The works of other servers, in the order in which they were asked for. */
  others(kind: Work['kind'], room?: RoomName): readonly RemoteWork[]
  /** Asks the server of a work to end it soon. */
  stop(id: string, reason: string): Promise<void>
}

/** A slot of this server. */
export interface Slot {
  /** Resolves when the work may begin, or when it gave up waiting. */
  readonly ready: Promise<void>
  /** Stops waiting; does nothing if the work has begun. */
  giveUp(): void
  /** Frees the slot, once. Resolves when others can have it, or it is tried again later. Never rejects. */
  leave(): Promise<void>
  /** Other servers show within a second or two what the work does now. */
  report(doing: string, progress?: ToolProgress): void
}

/** Something at work on another server. */
export interface RemoteWork extends Work {
  /** It has not begun. */
  readonly waits: boolean
  /** What it does, as it last reported. */
  readonly doing: { readonly what?: string; readonly progress?: ToolProgress }
  /** Milliseconds since the epoch, by the clock of this server. */
  readonly startedAt: number
  /** Resolves when it has ended. */
  ended(): Promise<void>
  /** Ends it soon. What could not be sent is in the log. */
  stop(reason: string): void
}

/** The reason for whatever ends because this server was taken for dead. */
export const SERVER_LOST = 'the server lost the database'

/** A question of a room, and its number there. */
export interface QuestionKey {
  readonly room: RoomName
  readonly number: number
}

/** How many questions are open in a room, and how many of those a person has asked. */
export interface QuestionCounts {
  readonly open: number
  readonly own: number
}

/** A question that another server has asked. */
export interface RemoteQuestion extends QuestionKey {
  readonly asked: JsonObject
}

/** The open questions of all servers. */
export interface Questions {
  /**
   * Opens a question if `mayOpen`, and resolves to its number, which its room has never had; otherwise to the counts.
   * `answered` is called, once, with an answer that came through another server.
   */
  open(
    question: { readonly room: RoomName; readonly person: PersonId; readonly asked: JsonObject },
    mayOpen: (counts: QuestionCounts) => boolean,
    answered: (answer: JsonObject) => void,
  ): Promise<number | QuestionCounts>
  /** Closes one of this server. `answered`: an answer comes. `gone`: other servers took this one for dead, and told the room. */
  close(question: QuestionKey): Promise<'closed' | 'answered' | 'gone'>
  /** Gives another server the answer to its question. False if it is over. */
  answer(question: QuestionKey, answer: JsonObject): Promise<boolean>
  /** The questions that other servers have asked in a room. */
  others(room: RoomName): readonly RemoteQuestion[]
}
