import { access, chmod, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/environment.ts'
import { errorCode } from '../base/errors.ts'

export const DATABASE = 'sshawl.db'

/** Returns the path of the SQLite file, or the URL of a PostgreSQL database. */
export const databaseOf = ({ dataDir, storage }: Pick<Config, 'dataDir' | 'storage'>): string =>
  storage.url ?? join(dataDir, DATABASE)

/**
 * Creates the data directory and its parents with mode 0700. Throws `ConfigError`. Does not use Node's
 * `recursive`, which never ends below /proc (Node 20.20).
 */
export async function makeDataDir(dir: string): Promise<void> {
  try {
    await makeWithParents(dir)
    await chmod(dir, 0o700)
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new ConfigError([await sentence(dir, error)])
  }
}

async function makeWithParents(dir: string): Promise<void> {
  if (await isDirectory(dir)) return
  if (dirname(dir) !== dir) await makeWithParents(dirname(dir))
  await mkdir(dir, { mode: 0o700 })
}

/** Resolves to the reason if the directory can be neither created nor written. Changes nothing. */
export async function dataDirProblem(dir: string): Promise<string | undefined> {
  try {
    await access(await nearest(dir), constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return await sentence(dir, error)
  }
}

/** Returns the directory itself or its nearest existing parent. */
async function nearest(dir: string): Promise<string> {
  if ((await isDirectory(dir)) || dirname(dir) === dir) return dir
  // A file cannot become a directory, so this path makes `access` fail.
  if (await stat(dir).catch(() => undefined)) return `${dir}/.`
  return await nearest(dirname(dir))
}

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false

async function sentence(dir: string, error: unknown): Promise<string> {
  const code = errorCode(error)
  if (code === 'EROFS')
    return `--data: the disk of ${dir} is read-only (EROFS); mount it so that it can be written, or name another directory`
  if ((code === 'EACCES' || code === 'EPERM') && (await isDirectory(dir)))
    return `--data: ${dir} cannot be written by this user (${code}); give it to the user that runs the server, or name another directory`
  return `--data: ${dir} cannot be a directory here (${code}); name one that can be made`
}
