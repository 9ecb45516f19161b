import type { Workspace } from '../../../src/tools/workspace.ts'

/** A workspace that can be looked at from outside. */
export interface Examinee extends AsyncDisposable {
  readonly workspace: Workspace
  /** The directory on disk that it shows, as a real path. Beside it is nothing that it may reach. */
  readonly files: string
}

/** What each part of the exam is given: the examinee of the running tests. */
export type Examined = () => Examinee
