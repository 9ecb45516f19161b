/** `[sandbox] rooms_dir` and `workspaces`: the directories of rooms. */
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../../base/errors.ts'
import { ConfigError } from './environment.ts'
import { lineOf } from './file.ts'
import type { FileConfig } from './schema.ts'

/** The default of `rooms_dir`. */
export const ownRoomsDir = (dataDir: string): string => join(dataDir, 'rooms')

interface OtherDirectories {
  readonly dataDir: string
  readonly mapped: ReadonlyMap<string, string>
}

/** A real path. Throws `ConfigError`; `file` is the config's path. */
export function roomsDirFrom(
  written: FileConfig['sandbox'],
  file: string | undefined,
  others: OtherDirectories,
): string {
  const { rooms_dir: dir } = written
  if (dir === undefined || file === undefined) return ownRoomsDir(others.dataDir)
  const problem = whyUnusable(dir) ?? whyOverlapping(realpathSync(dir), others)
  if (problem === undefined) return realpathSync(dir)
  const line = lineOf(readFileSync(file, 'utf8'), ['sandbox', 'rooms_dir'])
  throw new ConfigError([`${file}:${line}: sandbox.rooms_dir: ${problem}`])
}

function whyUnusable(dir: string): string | undefined {
  try {
    accessSync(`${dir}/.`, constants.R_OK | constants.W_OK | constants.X_OK)
    const isOpen = (statSync(dir).mode & 0o002) !== 0
    return isOpen ? `everybody on this machine can write to ${dir}; run: chmod o-w ${dir}` : undefined
  } catch (error) {
    const code = errorCode(error)
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? `there is no directory ${dir}; make it first, or mount what belongs there`
      : `${dir} cannot be read and written by this user (${code}); give it to the user that runs the servers`
  }
}

function whyOverlapping(dir: string, { dataDir, mapped }: OtherDirectories): string | undefined {
  const data = realPathOf(dataDir)
  if (overlaps(dir, data)) return `${dir} and the data directory ${data} overlap; choose another directory`
  const [room, path] = [...mapped].find(([, one]) => overlaps(dir, one)) ?? []
  return (
    room && `${dir} and ${path}, which ${room} has by sandbox.workspaces, overlap; choose another directory`
  )
}

/**
 * Returns real paths. Throws `ConfigError` if one overlaps the data directory, which has files of the server
 * and other rooms.
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

const overlaps = (one: string, other: string): boolean => containsPath(one, other) || containsPath(other, one)

const containsPath = (outer: string, inner: string): boolean =>
  inner === outer || outer === '/' || inner.startsWith(`${outer}/`)

/** Allows directories at the end that do not exist yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : `${realPathOf(parent)}${path.slice(parent === '/' ? 0 : parent.length)}`
  }
}
