import type { Entry, RoomName } from '../words/entry.ts'

export interface WrittenMessage {
  readonly from: { readonly name: string; readonly guest: boolean }
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** True if the agent's own person wrote the message. */
  readonly isOwn?: true
}

/** Receives an agent's notifications. No method throws. */
export interface AgentListener {
  heard(entry: Entry): void
  changed(entry: Entry): void
  /** Delivers a direct message; `onRead` must be called once the client has it. */
  written(message: WrittenMessage, onRead?: () => void): void
  /** Reports a removal, with a sentence. `isFollowed`: they may still read the room, as after a kick. */
  putOut(room: RoomName, out: { readonly why: string; readonly isFollowed: boolean }): void
}
