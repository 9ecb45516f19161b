import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { errorCode } from '../../lib/errors.ts'
import { WorkspaceError } from '../../tools/workspace.ts'
import { covered, FIRST } from './inherited.ts'
import type { Launch } from './launch.ts'
import { feed } from './run-briefly.ts'

/** A child in a process group of its own. */
interface Started {
  readonly child: ChildProcess
  /** Resolves when it is gone and its pipes are closed. */
  readonly ended: Promise<ChildEnd>
}

/**
 * Starts a child with no input. Rejects with `WorkspaceError` where it cannot be started. With node's own `spawn`: execa
 * compares each descriptor with all others, which takes 40 ms where one of 250 has to be covered.
 */
export async function startChild(launch: Launch): Promise<Started> {
  const places = covered(
    [launch.tellsPid ? 'pipe' : 'ignore', launch.filter ?? 'ignore'],
    launch.inherited ?? [],
  )
  const child = spawned(
    launch,
    places.map((place) => (place instanceof Uint8Array ? 'pipe' : place)),
  )
  const ended = endOf(child)
  // Without a descriptor left there is not even a list of pipes.
  if (child.pid === undefined) throw notStarted((await ended).error)
  for (const stream of child.stdio) stream?.on('error', () => undefined)
  for (const [index, place] of places.entries()) {
    if (place instanceof Uint8Array) feed(child.stdio[FIRST + index], place)
  }
  return { child, ended }
}

/** How a child ended, or why it could not be started. */
export interface ChildEnd {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly error?: unknown
}

const endOf = async (child: ChildProcess): Promise<ChildEnd> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (exitCode, signal) =>
      resolve({ exitCode: exitCode ?? undefined, signal: signal ?? undefined }),
    )
  })

/** Some of what the kernel refuses is thrown, the rest is an event. */
function spawned({ file, args, cwd, env }: Launch, places: readonly ('pipe' | 'ignore')[]): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...places]
  try {
    return spawn(file, args, { cwd, env, stdio, detached: true })
  } catch (error) {
    throw notStarted(error)
  }
}

const notStarted = (error: unknown): WorkspaceError =>
  new WorkspaceError(`the command could not be started (${errorCode(error)})`, { cause: error })
