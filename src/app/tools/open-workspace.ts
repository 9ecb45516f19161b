import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { createWorkspaces } from '../../adapters/sandbox/workspaces.ts'
import type { Log } from '../../chat/ports.ts'
import { NO_LOG } from '../../embedding/context.ts'
import { WorkspaceError, type Workspace } from '../../tools/workspace.ts'
import { paths } from '../paths.ts'

/** The directory that a program gives its tools. */
export interface WorkspaceChoice {
  /** It must be there. Tools see nothing else, whatever links lead out of it. */
  readonly directory: string
  /**
   * Where old versions of changed files are kept; made when it is not there. It must not be inside of
   * `directory`.
   */
  readonly backups: string
  /**
   * `bubblewrap` when absent: then commands are refused where it does not work. With `none` they can do all
   * that the program can.
   */
  readonly mode?: 'bubblewrap' | 'none'
  /** Of memory for each command; 512 when absent. */
  readonly memory_mb?: number
  /** Is told of each command; nobody when absent. */
  readonly log?: Log
}

/** The only name there is: a program has one workspace where a server has many. */
const NAME = 'program'

/**
 * Gives tools a directory, and a sandbox for their commands, as a room of the server has them; the disk has
 * no limit. Starts nothing before a tool needs it. Disposing ends every command and search, and waits until
 * it is gone. Throws `WorkspaceError` where the directory cannot be used.
 */
export function openWorkspace(choice: WorkspaceChoice): Workspace & AsyncDisposable {
  const { mode = 'bubblewrap', memory_mb = 512, log = NO_LOG } = choice
  const directory = existing(choice.directory)
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

function existing(directory: string): string {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(directory)
  throw new WorkspaceError(`there is no directory ${directory}`)
}
