import type { FileTree } from '../base/file-tree.ts'
import type { TurnId } from '../words/entry.ts'
import type { PersonId } from '../words/person.ts'

/** Who changes a file: a person, or a model in a turn for one. */
export interface FileAuthor {
  readonly name: string
  readonly turn?: { readonly id: TurnId; readonly requester: PersonId }
  /** The person; absent for a model. */
  readonly person?: PersonId
}

export interface ListedFile {
  /** Relative to the workspace. */
  readonly path: string
  readonly size: number
  readonly modifiedAt: number
  /** The name of who changed it last, if that is known. */
  readonly by?: string
}

/** What a file was before a change. */
export interface FileVersion {
  /** From 1 for each path. A number is never used twice. */
  readonly version: number
  /** When it was replaced or removed. */
  readonly at: number
  /** Who replaced or removed it. */
  readonly by: string
  readonly event: 'changed' | 'removed'
  readonly size: number
}

/** What undoing a turn does to one file. */
export interface UndoStep {
  readonly path: string
  /** `stays`: it was changed since, or its version is not kept. */
  readonly does: 'puts back' | 'removes' | 'stays'
  readonly version?: number
  /** Why it stays. */
  readonly why?: string
}

export interface UndoPlan {
  readonly turn: TurnId
  readonly author: string
  readonly at: number
  readonly steps: readonly UndoStep[]
}

/** The files of a room for people, with what they were before. Rejects with `WorkspaceError`. */
export interface KeptFiles {
  list(signal: AbortSignal): Promise<{ readonly files: readonly ListedFile[]; readonly cut: string }>
  /** Paths of the first files, and of files with versions, also of removed files. */
  paths(): Promise<readonly string[]>
  /** Oldest first; only versions that are still kept. */
  versions(path: string): Promise<readonly FileVersion[]>
  /** Resolves to the bytes of a version. */
  readVersion(path: string, version: number): Promise<Buffer>
  /** Makes a version the file again. What the file is now becomes a version. */
  putBack(path: string, version: number, by: FileAuthor): Promise<void>
  /** What undoing the last turn that wrote would do: of one person, or of anybody. */
  undoPlan(requester: PersonId | undefined): Promise<UndoPlan | undefined>
  /** Resolves to the steps that were done. */
  undo(plan: UndoPlan, by: FileAuthor): Promise<readonly UndoStep[]>
  /** Removes all versions that a person wrote or replaced. Resolves to their number. */
  forget(person: PersonId): Promise<number>
}

/** A room's files as programs for people use them. */
export interface RoomFileAccess {
  readonly kept: KeptFiles
  filesBy(author: FileAuthor): FileTree
}
