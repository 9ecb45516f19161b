import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ServerFacts } from '../../cluster/ports.ts'
import type { Config } from '../../config/config.ts'
import { ownRoomsDir } from '../../config/rooms-dir.ts'

/** The sections of a config that all servers of a database should have alike. The others are about one machine. */
const ALIKE = ['server', 'models', 'mcp', 'memory', 'lua', 'limits'] as const

/**
 * What all servers of a database should have in common, by the names that people know it by, each as a hash: sections of the config,
 * host keys, `.tool` files and modules. Secrets are left out: whoever reads the database learns nothing of them.
 */
export async function sharedFacts(
  config: Config,
  hostKeys: readonly string[],
): Promise<ServerFacts['shared']> {
  const { bus, sandbox, tools } = config
  const { dirs, modules, disabled, timeout_s, web } = tools
  const { rooms_dir: _, workspaces: __, ...machines } = sandbox
  return {
    ...Object.fromEntries(ALIKE.map((section) => [`[${section}] of the config`, hashOf(config[section])])),
    '[tools] of the config': hashOf({ disabled, timeout_s, web }),
    '[bus] of the config': hashOf({ isThere: bus !== undefined, prefix: bus?.prefix }),
    '[sandbox] of the config': hashOf({
      ...machines,
      isShared: sandbox.rooms_dir !== ownRoomsDir(config.dataDir),
    }),
    'host keys': hashOf(hostKeys.toSorted()),
    ...(await hashesOf([...(await toolFilesIn(dirs)), ...modules])),
  }
}

const hashOf = (value: unknown): string => digest(JSON.stringify(value, withoutSecrets) ?? '')

const digest = (bytes: string | Buffer): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 16)

/** Whatever is named after a secret, and lists that JSON does not know. A number is none. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (/key$|token|secret|password|headers|^env$/i.test(key) && typeof value !== 'number') return undefined
  if (value instanceof Map || value instanceof Set) return [...value]
  return value
}

async function toolFilesIn(dirs: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    // One that is not there has no files; whoever reads them says so.
    dirs.map(async (dir) => (await readdir(dir).catch(() => [])).map((name) => join(dir, name))),
  )
  return lists.flat().filter((path) => path.endsWith('.tool'))
}

async function hashesOf(files: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const hashes = await Promise.all(
    files.map(async (file) => [basename(file), digest(await readFile(file).catch(() => ''))] as const),
  )
  return Object.fromEntries(hashes)
}
