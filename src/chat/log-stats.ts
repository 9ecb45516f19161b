/** What was recorded in a room, counted. Tokens are those that were charged, as `/usage` has them. */
export interface LogStats {
  readonly entries: number
  /** Times of the oldest and the newest entry, in milliseconds since the epoch; absent where there is none. */
  readonly first?: number
  readonly last?: number
  /** Who recorded most comes first; at most `MAX_AUTHORS`. */
  readonly authors: readonly { readonly author: string; readonly entries: number }[]
  /** The newest day comes first; at most `MAX_DAYS`. */
  readonly days: readonly DayStats[]
}

/** One day, in UTC. */
export interface DayStats {
  /** `2026-01-31` */
  readonly day: string
  readonly entries: number
  /** Tools that ran. */
  readonly calls: number
  readonly replies: number
  readonly input: number
  readonly output: number
}

export const MAX_AUTHORS = 50
export const MAX_DAYS = 31
