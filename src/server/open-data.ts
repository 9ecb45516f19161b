import { join } from 'node:path'
import { createLog } from './pino-log.ts'
import { lockDirectory, openStorage, type StorageOptions, type Storage } from '../storage/index.ts'
import type { Config } from './config/config.ts'
import type { Log } from '../base/environment.ts'
import { createHookScripts } from '../turns/index.ts'
import { createIds } from '../base/ids.ts'
import { warnOfStorage } from '../words/errors.ts'
import type { NameIndex } from '../chat/people/index.ts'
import type { AppContext, Overrides } from './context.ts'
import { DATABASE, makeDataDir } from './data-dir.ts'
import { watchedStorage } from './metering.ts'
import { paths, version } from '../base/paths.ts'
import { commandsIn } from './tools/commands-state.ts'

type DataKey = 'dataDir' | 'logLevel' | 'sandbox' | 'http' | 'storage'

const SYSTEM_CLOCK: AppContext['clock'] = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  later: (ms, run) => void setTimeout(run, ms).unref(),
}

/**
 * Opens the data directory, or creates it. The caller disposes of the storage. After `stopping` is aborted, a
 * locked database is hardly waited for. Rejects with `ConfigError` or `StorageError`.
 */
export async function openData(
  { dataDir, logLevel, sandbox, http, storage: { url } }: Pick<Config, DataKey>,
  overrides: Overrides = {},
  stopping?: AbortSignal,
): Promise<AppContext> {
  const clock = overrides.clock ?? SYSTEM_CLOCK
  const log = overrides.log ?? createLog(logLevel)
  await makeDataDir(dataDir)
  const commands = commandsIn({ sandbox })
  const file = join(dataDir, DATABASE)
  const { migrations: migrationsDir, storageThread: threadEntry } = paths
  // Loaded only with HTTP, over which metrics are read.
  const meter = http.listen && new (await import('./metrics/meter.ts')).Meter(version())
  const timed = meter?.stored
  const opened = await openAlone({ file, migrationsDir, clock, log, threadEntry, url, stopping, timed })
  const prompts = { ...opened.prompts, scripts: createHookScripts(opened.prompts.scripts) }
  await reindexNames(opened.chat.people, log)
  const nextId = createIds(clock, await opened.chat.entries.lastId())
  const storage = watchedStorage({ ...opened, prompts }, log, meter)
  return { storage, clock, log, nextId, commands, meter }
}

/** Locks the data directory, because several servers may share a database but not a directory. */
async function openAlone(options: StorageOptions): Promise<Storage> {
  if (options.url === undefined) return await openStorage(options)
  const directory = lockDirectory(options.file)
  try {
    const storage = await openStorage(options)
    return {
      ...storage,
      async [Symbol.asyncDispose]() {
        await storage[Symbol.asyncDispose]()
        directory[Symbol.dispose]()
      },
    }
  } catch (error) {
    directory[Symbol.dispose]()
    throw error
  }
}

/** Rebuilds the index of names by the rules of this version. If the storage fails, the old index is used. */
export async function reindexNames(people: NameIndex, log: Log): Promise<void> {
  const reindexed = await people
    .reindexNames()
    .catch(warnOfStorage(log, 'could not rebuild the index of names; the next start tries again'))
  if (!reindexed || reindexed.names === 0) return
  log.info({ names: reindexed.names }, 'rebuilt the index of names by the rules of this version')
  for (const { name, like } of reindexed.alike)
    log.warn({ name, like }, 'a name looks the same as an older one; both stay, with their keys')
  for (const name of reindexed.unfit)
    log.warn({ name }, 'a name could not be registered any more; it stays with its key')
}
