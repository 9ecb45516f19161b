import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from './problem.ts'
import type { FileConfig } from './schema.ts'

/** True if there is a directory at this path. */
export const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * The directories that rooms are mapped to, as real paths. Throws `ConfigError` for one that holds the data directory
 * or lies in it: its files would be those of the server, or of another room. `file` is for the message.
 */
export function workspacesFrom(
  { sandbox }: FileConfig,
  file: string | undefined,
  dataDir: string,
): ReadonlyMap<string, string> {
  const data = realPathOf(dataDir)
  const mapped = Object.entries(sandbox.workspaces).map(([room, path]) => [room, realpathSync(path)] as const)
  const problems = mapped
    .filter(([, path]) => holds(path, data) || holds(data, path))
    .map(
      ([room, path]) => `${file}: sandbox.workspaces.${room}: ${path} and the data directory ${data} overlap`,
    )
  if (problems.length > 0)
    throw new ConfigError(problems.map((problem) => `${problem}; choose another directory`))
  return new Map(mapped)
}

const holds = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}/`)

/** The real path, of which the end may not be there yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : `${realPathOf(parent)}${path.slice(parent === '/' ? 0 : parent.length)}`
  }
}
