/** What the author of a notice did, and to whom. */
export interface ModerationAct {
  readonly verb: ActVerb
  /** A name; the room where all in it are meant; `a key` and `a network` stand for those. */
  readonly who: string
  /** When it is over, in ISO 8601; absent where it lasts. */
  readonly until?: string
  readonly reason?: string
}

/** All that `act` can say was done. */
export type ActVerb =
  | 'op'
  | 'deop'
  | 'kick'
  | 'mute'
  | 'unmute'
  | 'ban'
  | 'unban'
  | 'invite'
  | 'uninvite'
  | 'archive'
  | 'unarchive'
  | 'delete'
