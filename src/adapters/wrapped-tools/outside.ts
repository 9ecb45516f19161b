import type { Workspace } from '../../tools/workspace.ts'

/** The kernel refuses a path of this many bytes (`PATH_MAX`), so it is none. */
const MAX_PATH_BYTES = 4096

/** How far into a cluster of short options a glued value is looked for. */
const MAX_CLUSTER_LETTERS = 10

/**
 * The part of an argument that leads out of the workspace if it is taken for a path, or undefined. Only
 * the program knows what an argument means, so all that may be a path is tried: the whole, what follows
 * an `=`, and what may be glued to short options.
 */
export async function leadsOutside(argument: string, workspace: Workspace): Promise<string | undefined> {
  for (const path of new Set(possiblePaths(argument))) {
    if (Buffer.byteLength(path) < MAX_PATH_BYTES && (await workspace.placeOf(path)) === undefined) return path
  }
  return undefined
}

function possiblePaths(argument: string): readonly string[] {
  const value = argument.includes('=') ? [argument.slice(argument.indexOf('=') + 1)] : []
  if (!argument.startsWith('-')) return [argument, ...value]
  if (argument.startsWith('--')) return value
  const letters = argument.length - argument.replace(/^-[A-Za-z0-9]*/, '').length
  const glued = Array.from({ length: Math.min(letters, MAX_CLUSTER_LETTERS) }, (_, at) =>
    argument.slice(at + 2),
  )
  return [...value, argument.slice(letters), ...glued].filter((path) => path !== '')
}
