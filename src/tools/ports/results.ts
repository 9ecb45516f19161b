import type { RoomName } from '../../chat/entry.ts'

/** A result that was too long to be read at once, kept whole. */
export interface LongResult {
  readonly room: RoomName
  /** Counts up in its room; written `fd:3`. */
  readonly fd: number
  /** Id of the tool that gave it. */
  readonly tool: string
  /** Cleaned (lib/text/clean-text.ts). */
  readonly text: string
  /** Who says it, as `Outside.from` has it; absent for what the tool says itself. */
  readonly outside?: string
  /** Of a page, in UTF-16 units: the same for whoever reads, so that the pages join to the text. */
  readonly pageSize: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What may be kept of long results. */
export interface ResultLimits {
  /** Everything older than this is deleted, in every room. Milliseconds since the epoch. */
  readonly since: number
  /** Bytes of all texts of one room, in UTF-8; the oldest are deleted first. The newest stays whatever its size. */
  readonly roomBytes: number
  /** The same for all rooms together. */
  readonly allBytes: number
}

/** Long results on disk. All methods reject with `StorageError` only. */
export interface ResultStore {
  /** Resolves to its fd, which no other result of the room ever had or will have. */
  put(result: Omit<LongResult, 'fd'>, limits: ResultLimits): Promise<number>
  /** Undefined for a result that never existed, was deleted, or belongs to another room. */
  find(room: RoomName, fd: number): Promise<LongResult | undefined>
}
