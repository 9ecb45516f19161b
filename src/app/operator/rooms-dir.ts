import { stat } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { ownRoomsDir } from '../../config/directories.ts'

/** A line where others than the server's user can change what is in the directory that the config names: that may be meant, or not. */
export async function roomsDirWarnings({
  dataDir,
  sandbox: { rooms_dir: dir },
}: Pick<Config, 'dataDir' | 'sandbox'>): Promise<readonly string[]> {
  if (dir === ownRoomsDir(dataDir)) return []
  const facts = await stat(dir)
  const own = process.getuid?.()
  // Root looks at what belongs to the server's user.
  const owner = own === 0 || facts.uid === own ? [] : [`belongs to the user ${facts.uid}, and this is ${own}`]
  const group = facts.mode & 0o020 ? [`can be written by the group ${facts.gid}`] : []
  return [...owner, ...group].map(
    (what) => `sandbox.rooms_dir: ${dir} ${what}: they can change the files of all rooms`,
  )
}
