import { readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { lineOf } from './locate.ts'
import { ConfigError } from './problem.ts'
import type { FileConfig } from './schema.ts'

/**
 * The directories that rooms are mapped to, as real paths. Throws `ConfigError` for one that holds the data directory
 * or lies in it: its files would be those of the server, or of another room. `file` is where they were read from.
 */
export function workspacesFrom(
  written: FileConfig['sandbox']['workspaces'],
  file: string | undefined,
  dataDir: string,
): ReadonlyMap<string, string> {
  const data = realPathOf(dataDir)
  const mapped = Object.entries(written).map(([room, path]) => [room, realpathSync(path)] as const)
  const overlapping = mapped.filter(([, path]) => overlaps(path, data))
  if (overlapping.length > 0 && file !== undefined) {
    const text = readFileSync(file, 'utf8')
    throw new ConfigError(overlapping.map(([room, path]) => `${file}:${overlap(room, path, data, text)}`))
  }
  return new Map(mapped)
}

const overlap = (room: string, path: string, data: string, text: string): string =>
  `${lineOf(text, ['sandbox', 'workspaces', room])}: sandbox.workspaces.${room}: ${path} and the data directory ${data} overlap; choose another directory`

/** Whether one of two real paths is, or lies in, the other. */
export const overlaps = (one: string, other: string): boolean => holds(one, other) || holds(other, one)

const holds = (outer: string, inner: string): boolean =>
  inner === outer || outer === '/' || inner.startsWith(`${outer}/`)

/** The real path. Directories at its end may not exist yet. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : `${realPathOf(parent)}${path.slice(parent === '/' ? 0 : parent.length)}`
  }
}
