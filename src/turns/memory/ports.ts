import type { RoomName } from '../../words/entry.ts'
import type { PersonId } from '../../words/person.ts'

// memory/ decides what people ask models to remember: of a room, and of themselves. It must not know how a
// prompt is composed, or how memories are stored.

/** A room, or a person and what they said of themselves. */
export type MemoryOwner = { readonly room: RoomName } | { readonly person: PersonId }

/** One version of a memory; an empty `text` forgets it. */
export interface StoredMemory {
  /** Counts the owner's memories: 1, 2, 3, … */
  readonly number: number
  /** Counts the versions of this memory: 1, 2, 3, … */
  readonly version: number
  readonly text: string
  /** The name at that time of the person who said it, or who made it forgotten. */
  readonly author: string
  readonly person: PersonId
  readonly at: number
}

export type NewMemory = Pick<StoredMemory, 'text' | 'author' | 'person' | 'at'>

/** All methods reject with `StorageError` only. */
export interface MemoryStore {
  /** Resolves to the newest version of each memory that is not forgotten, by number. */
  current(of: MemoryOwner): Promise<readonly StoredMemory[]>
  /** By number, the newest version first. */
  versions(of: MemoryOwner): Promise<readonly StoredMemory[]>
  /** Adds a memory. Resolves to `full`, and stores nothing, if the owner has `most`. */
  add(of: MemoryOwner, memory: NewMemory, most: number): Promise<StoredMemory | 'full'>
  /** Adds a version to an existing memory. `full`, and nothing stored, if the owner has `most` others. */
  change(of: MemoryOwner, number: number, memory: NewMemory, most: number): Promise<StoredMemory | 'full'>
  /** True if what the person said of themselves goes along in the room; undefined if they have not said. */
  goesAlong(person: PersonId, room: RoomName): Promise<boolean | undefined>
  setGoesAlong(person: PersonId, room: RoomName, goes: boolean): Promise<void>
}
