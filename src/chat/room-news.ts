import type { RoomName } from '../words/entry.ts'

/** What happened in a followed room while the person was not in it. */
export interface RoomNews {
  readonly room: RoomName
  /** New lines; `MAX_NEW` for that many or more. */
  readonly count: number
  /** True if a new line names the person. */
  readonly isNamed: boolean
}

/** The count of new lines of a room stops at this number. */
export const MAX_NEW = 100

export const countText = (count: number): string => (count < MAX_NEW ? `${count}` : `${MAX_NEW - 1}+`)
