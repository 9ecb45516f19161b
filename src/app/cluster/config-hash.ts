import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { ownRoomsDir } from '../../config/rooms-dir.ts'

/**
 * A hash of all that the servers of a database should have alike: sections of the config that are not about one machine,
 * host keys, `.tool` files and modules. Secrets are left out, so that a reader of the database learns nothing of them.
 */
export async function configHash(config: Config, hostKeys: readonly string[]): Promise<string> {
  const { bus, sandbox, server, models, mcp, memory, lua, limits } = config
  const { dirs, modules, disabled, timeout_s, web } = config.tools
  const { rooms_dir, workspaces: _, ...machines } = sandbox
  const hash = createHash('sha256')
  const alike = { server, models, mcp, memory, lua, limits, disabled, timeout_s, web, machines }
  const places = { bus: bus && bus.prefix, hasSharedRooms: rooms_dir !== ownRoomsDir(config.dataDir) }
  hash.update(JSON.stringify([alike, places, hostKeys.toSorted()], withoutSecrets))
  for (const file of [...(await toolFilesIn(dirs)), ...modules])
    // The reader of a missing file says so.
    hash.update(await readFile(file).catch(() => ''))
  return hash.digest('base64url').slice(0, 16)
}

/** Leaves out all but numbers that are named like a secret. JSON has no maps and sets. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (/key$|token|secret|password|headers|^env$/i.test(key) && typeof value !== 'number') return undefined
  if (value instanceof Map || value instanceof Set) return [...value]
  return value
}

async function toolFilesIn(dirs: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    dirs.map(async (dir) => (await readdir(dir).catch(() => [])).map((name) => join(dir, name))),
  )
  return lists
    .flat()
    .filter((path) => path.endsWith('.tool'))
    .toSorted()
}
