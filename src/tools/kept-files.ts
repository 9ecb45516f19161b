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
  /** The name of the last author, if it is known. */
  readonly by?: string
}

/** A file before a change. */
export interface FileVersion {
  /** From 1 for each path. A number is never used twice. */
  readonly version: number
  /** Milliseconds since the epoch when the file was replaced or removed. */
  readonly at: number
  /** The name of the author who replaced or removed the file. */
  readonly by: string
  readonly event: 'changed' | 'removed'
  readonly size: number
}

/** The effect on one file of undoing a turn. */
export interface UndoStep {
  readonly path: string
  /** `stays`: the file was changed since the turn, or its version is not stored. */
  readonly does: 'puts back' | 'removes' | 'stays'
  readonly version?: number
  readonly why?: string
}

export interface UndoPlan {
  readonly turn: TurnId
  readonly author: string
  readonly at: number
  readonly steps: readonly UndoStep[]
}

/** A room's files and their earlier versions, for people. Rejects with `WorkspaceError`. */
export interface KeptFiles {
  list(signal: AbortSignal): Promise<{ readonly files: readonly ListedFile[]; readonly cut: string }>
  /** Paths of the first files, and of files with versions, also of removed files. */
  paths(): Promise<readonly string[]>
  /** Oldest first; only versions that are still kept. */
  versions(path: string): Promise<readonly FileVersion[]>
  readVersion(path: string, version: number): Promise<Buffer>
  /** Restores a version. The current file becomes a version. */
  putBack(path: string, version: number, by: FileAuthor): Promise<void>
  /** Resolves to the effect of undoing the last turn that wrote: of one person, or of anybody. */
  undoPlan(requester: PersonId | undefined): Promise<UndoPlan | undefined>
  /** Resolves to the steps that were done. */
  undo(plan: UndoPlan, by: FileAuthor): Promise<readonly UndoStep[]>
  /** Removes all versions that a person wrote or replaced. Resolves to their number. */
  forget(person: PersonId): Promise<number>
}

export interface RoomFileAccess {
  readonly kept: KeptFiles
  filesBy(author: FileAuthor): FileTree
}
