import type { Entry, RoomName } from '../words/entry.ts'

export interface WrittenMessage {
  readonly from: { readonly name: string; readonly guest: boolean }
  readonly text: string
  /** Ms since the epoch. */
  readonly at: number
  /** True if the agent's own person wrote the message. */
  readonly isOwn?: true
}

/** Receives what an agent is notified of. No method throws. */
export interface AgentListener {
  heard(entry: Entry): void
  changed(entry: Entry): void
  /** Passes on a direct message to the person; `onRead` must be called once the client has it. */
  written(message: WrittenMessage, onRead?: () => void): void
  /**
   * Reports that the person was removed from a room; `why` is a sentence. The room is still followed if the
   * person may read it, as after a kick.
   */
  putOut(room: RoomName, out: { readonly why: string; readonly isFollowed: boolean }): void
}
