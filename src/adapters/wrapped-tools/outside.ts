import type { Workspace } from '../../tools/ports.ts'

/** A path of this many bytes or more is none: the kernel refuses it (`PATH_MAX`). */
const maxPath = 4096

/** How far into a cluster of short options a glued value is looked for. */
const clusterLength = 10

/**
 * The part of an argument that leads out of the workspace if it is taken for a path, or undefined. An
 * argument's meaning is its program's secret, so all that may be a path is tried: the whole, what follows
 * an `=`, and what may be glued to short options.
 */
export async function leadsOutside(argument: string, workspace: Workspace): Promise<string | undefined> {
  for (const path of new Set(possiblePaths(argument))) {
    if (Buffer.byteLength(path) < maxPath && !(await workspace.contains(path))) return path
  }
  return undefined
}

function possiblePaths(argument: string): readonly string[] {
  const value = argument.includes('=') ? [argument.slice(argument.indexOf('=') + 1)] : []
  if (!argument.startsWith('-')) return [argument, ...value]
  if (argument.startsWith('--')) return value
  const letters = /^-[A-Za-z0-9]*/.exec(argument)![0].length
  const glued = Array.from({ length: Math.min(letters, clusterLength) }, (_, at) => argument.slice(at + 2))
  return [...value, argument.slice(letters), ...glued].filter((path) => path !== '')
}
