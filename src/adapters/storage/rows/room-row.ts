import type { RoomRecord } from '../../../chat/ports.ts'

/** A row of `rooms`. */
export type RoomRow = Omit<RoomRecord, 'private' | 'createdAt'> & {
  readonly private: number
  readonly created_at: number
}

export const toRecord = ({ created_at, ...row }: RoomRow): RoomRecord => ({
  ...row,
  private: row.private === 1,
  createdAt: created_at,
})

export const toRow = ({ createdAt, ...record }: RoomRecord): RoomRow => ({
  ...record,
  private: record.private ? 1 : 0,
  created_at: createdAt,
})
