import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { createWorkspaces } from './workspaces.ts'
import { NO_LOG } from '../wrap/embedding/index.ts'
import type { Log } from '../base/environment.ts'
import type { Workspace } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import { paths } from '../base/paths.ts'

export interface WorkspaceChoice {
  /** Must exist. Tools see nothing outside, also through links. */
  readonly directory: string
  /** Directory for old versions of changed files. Created if missing. Must not be inside `directory`. */
  readonly backups: string
  /**
   * Default: `bubblewrap`, without which commands are refused. With `none`, commands can do everything that
   * this program can.
   */
  readonly mode?: 'bubblewrap' | 'none'
  /** Memory of each command; default: 512. */
  readonly memory_mb?: number
  readonly log?: Log
}

const NAME = 'program'

/**
 * Opens a directory and a sandbox for commands, as a room of the server has, without a disk limit. Disposing
 * ends all commands and searches. Throws `WorkspaceError` if the directory cannot be used.
 */
export function openWorkspace(choice: WorkspaceChoice): Workspace & AsyncDisposable {
  const { mode = 'bubblewrap', memory_mb = 512, log = NO_LOG } = choice
  const stats = statSync(choice.directory, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) throw new WorkspaceError(`there is no directory ${choice.directory}`)
  const directory = realpathSync(choice.directory)
  mkdirSync(choice.backups, { recursive: true, mode: 0o700 })
  const root = realpathSync(choice.backups)
  if (`${root}/`.startsWith(`${directory}/`))
    throw new WorkspaceError(`backups must not lie in ${directory}: tools could change them`)
  const workspaces = createWorkspaces({
    root,
    mapped: new Map([[NAME, directory]]),
    searchEntry: paths.fileSearch,
    mode,
    limits: { memoryBytes: memory_mb * 1024 * 1024 },
    log,
  })
  return {
    ...workspaces.of(NAME),
    [Symbol.asyncDispose]: () => workspaces[Symbol.asyncDispose](),
  }
}
