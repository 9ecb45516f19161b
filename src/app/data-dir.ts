import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError } from '../config/problem.ts'
import { errorCode } from '../lib/errors.ts'

/**
 * Makes the data directory with what is missing above it, for its owner only. Throws `ConfigError`.
 * Step by step and not with node's `recursive`: where a directory refuses to have children but says they are
 * not there, as /proc does, that never ends (node 20.20).
 */
export async function makeDataDir(dir: string): Promise<void> {
  try {
    await makeWithParents(dir)
    await chmod(dir, 0o700)
  } catch (error) {
    const code = errorCode(error)
    throw new ConfigError([`--data: ${dir} cannot be a directory here (${code}); name one that can be made`])
  }
}

async function makeWithParents(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined)
  if (found?.isDirectory()) return
  if (dirname(dir) !== dir) await makeWithParents(dirname(dir))
  await mkdir(dir, { mode: 0o700 })
}
