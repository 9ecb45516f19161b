/**
 * The rooms' files and commands on this machine. This folder knows paths, limits and processes. It must not
 * know tools, people or permissions: its callers have checked permissions before.
 */
import { join } from 'node:path'
import { isRoomName } from '../words/names.ts'
import type { Log } from '../base/environment.ts'
import type { FileAuthor, Workspaces } from '../tools/index.ts'
import { WorkspaceError } from '../words/errors.ts'
import { createCommandQueue } from './command-queue.ts'
import { inheritedDescriptors } from './inherited.ts'
import { probeSandbox, type SandboxState } from './probe.ts'
import { Searcher } from './searcher.ts'
import { createWorkspace, type RoomWorkspace, type WorkspaceLimits } from './workspace.ts'

const WORKSPACE_LIMITS: WorkspaceLimits = {
  fileBytes: 8 * 1024 * 1024,
  memoryBytes: 512 * 1024 * 1024,
  processes: 512,
  diskBytes: 1024 * 1024 * 1024,
  files: 200_000,
}

export interface WorkspacesOptions {
  /** Directory of all workspaces: each room has `root/NAME/files`. */
  readonly root: string
  /** Whether other servers have the same `root`. */
  readonly isShared?: boolean
  /** Directories that an admin set for rooms, by room. */
  readonly mapped?: ReadonlyMap<string, string>
  /** The built file search (rolldown.config.ts). */
  readonly searchEntry: string
  readonly mode: 'bubblewrap' | 'none'
  /** A mapped directory has no limit on its disk use, because it is the admin's. */
  readonly limits?: Partial<WorkspaceLimits>
  readonly log: Log
}

export interface RoomWorkspaces extends Workspaces, AsyncDisposable {
  of(room: string, author?: FileAuthor): RoomWorkspace
}

/** Creates the rooms' workspaces. Disposing ends every command and search, and waits until all are gone. */
export function createWorkspaces(options: WorkspacesOptions): RoomWorkspaces {
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const rooms = new Map<string, RoomWorkspace>()
  const limits = { ...WORKSPACE_LIMITS, ...options.limits }
  const sandbox = options.mode === 'none' ? 'none' : rememberSuccess(probeSandbox)
  const queue = createCommandQueue(limits.memoryBytes)
  const inherited = inheritedDescriptors()
  const searcher = new Searcher(options.searchEntry)

  const create = (home: string, room: string): RoomWorkspace =>
    createWorkspace({
      directory: options.mapped?.get(room) ?? join(home, 'files'),
      beside: {
        backups: join(home, 'backups'),
        ...(options.isShared ? { lock: join(home, 'changing') } : {}),
      },
      limits: { ...limits, diskBytes: options.mapped?.has(room) ? 0 : limits.diskBytes },
      sandbox,
      searcher,
      inherited,
      closing: closing.signal,
      log: options.log,
    })

  async function count<T>(start: () => Promise<T>): Promise<T> {
    if (closing.signal.aborted) throw new WorkspaceError('the server is stopping')
    const work = start()
    running.add(work)
    return work.finally(() => running.delete(work))
  }

  /** Queues commands, and counts commands and searches, so that disposing can wait for them. */
  const queuedAndCounted = (workspace: RoomWorkspace, room: string): RoomWorkspace => ({
    ...workspace,
    run: (spec, runLimits, signal, onFiles) =>
      count(() => queue(room, signal, () => workspace.run(spec, runLimits, signal, onFiles))),
    findFiles: (...args) => count(() => workspace.findFiles(...args)),
    searchText: (...args) => count(() => workspace.searchText(...args)),
  })

  return {
    of(room, author) {
      const workspace =
        rooms.get(room) ?? queuedAndCounted(create(join(options.root, checkedName(room)), room), room)
      rooms.set(room, workspace)
      if (!author) return workspace
      return { ...workspace, changeText: (path, change) => workspace.changeText(path, change, author) }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new WorkspaceError('the server is stopping'))
      await Promise.allSettled(running)
    },
  }
}

/** The name of a room becomes the name of a directory, so it must not be a path. */
function checkedName(room: string): string {
  if (!isRoomName(room)) throw new WorkspaceError(`'${room}' is not the name of a room`)
  return room
}

/** Tries the sandbox until it works once: an admin may repair it while the server runs. */
function rememberSuccess(probe: () => Promise<SandboxState>): () => Promise<SandboxState> {
  let found: Promise<SandboxState> | undefined
  return async () => {
    found ??= probe()
    const state = await found
    if (!state.works) found = undefined
    return state
  }
}
