import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../lib/errors.ts'
import { lineOf } from './locate.ts'
import { ConfigError } from './problem.ts'
import type { FileConfig } from './schema.ts'
import { overlaps, realPathOf } from './workspaces.ts'

/** Where rooms' files are unless the config says otherwise: no other server has them. */
export const ownRoomsDir = (dataDir: string): string => join(dataDir, 'rooms')

/** What a directory of rooms must not share anything with. */
interface Others {
  readonly dataDir: string
  /** The directories that an admin gave to rooms, as real paths. */
  readonly mapped: ReadonlyMap<string, string>
}

/**
 * The directory that the rooms' files are in, as a real path: that of the config, which servers may share, or a part of the
 * data directory, which is made when it is needed. Throws `ConfigError`. `file` is where it was read from.
 */
export function roomsDirFrom(
  written: FileConfig['sandbox'],
  file: string | undefined,
  others: Others,
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
    const facts = statSync(dir)
    if (!facts.isDirectory()) return missing(dir)
    if (facts.mode & 0o002) return `everybody on this machine can write to ${dir}; run: chmod o-w ${dir}`
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return missing(dir)
    return code === 'EROFS'
      ? `the disk of ${dir} is read-only (EROFS); mount it so that it can be written`
      : `${dir} cannot be read and written by this user (${code}); give it to the user that runs the servers`
  }
}

const missing = (dir: string): string =>
  `there is no directory ${dir}; make it first, or mount what belongs there`

/** Its files would be those of the server, or of another room. */
function whyOverlapping(dir: string, { dataDir, mapped }: Others): string | undefined {
  const data = realPathOf(dataDir)
  if (overlaps(dir, data)) return `${dir} and the data directory ${data} overlap; choose another directory`
  const [room, path] = [...mapped].find(([, one]) => overlaps(dir, one)) ?? []
  return (
    room && `${dir} and ${path}, which ${room} has by sandbox.workspaces, overlap; choose another directory`
  )
}
