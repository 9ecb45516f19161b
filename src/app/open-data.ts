import { join } from 'node:path'
import { createLog } from '../adapters/log/pino-log.ts'
import { lockDirectory, openStorage, type StorageOptions } from '../adapters/storage/open.ts'
import type { Storage } from '../adapters/storage/storage.ts'
import type { Config } from '../config/config.ts'
import { createHookScripts } from '../prompt/hooks.ts'
import { createIds } from '../lib/ids.ts'
import type { AppContext, Overrides } from './context.ts'
import { DATABASE, makeDataDir } from './data-dir.ts'
import { fileNames } from './file-names.ts'
import { meteredStorage } from './metering.ts'
import { paths } from './paths.ts'
import { quietWhileAway } from './quiet-log.ts'
import { commandsIn } from './tools/tool-sources.ts'

/** The keys of the config that it takes to open the data. */
type DataKey = 'dataDir' | 'logLevel' | 'sandbox' | 'http' | 'storage'

const SYSTEM_CLOCK: AppContext['clock'] = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  later: (ms, run) => void setTimeout(run, ms).unref(),
}

/**
 * Opens the data directory, which is made if it is not there. The caller disposes of the storage; once `stopping` is
 * aborted, a locked database is hardly waited for any more. Rejects with
 * `ConfigError` or `StorageError`.
 */
export async function openData(
  { dataDir, logLevel, sandbox, http, storage: { url } }: Pick<Config, DataKey>,
  overrides: Overrides = {},
  stopping?: AbortSignal,
): Promise<AppContext> {
  const clock = overrides.clock ?? SYSTEM_CLOCK
  const log = quietWhileAway(overrides.log ?? createLog(logLevel), clock)
  await makeDataDir(dataDir)
  const commands = commandsIn({ sandbox })
  const file = join(dataDir, DATABASE)
  const { migrations: migrationsDir, storageThread: threadEntry } = paths
  const opened = await openAlone({ file, migrationsDir, clock, log, threadEntry, url, stopping })
  const prompts = { ...opened.prompts, scripts: createHookScripts(opened.prompts.scripts) }
  await fileNames(opened.chat.people, log)
  const nextId = createIds(clock, await opened.chat.entries.lastId())
  // Its library is loaded only if somebody can read the figures.
  const meter = http.listen && (await import('../adapters/metrics/meter.ts')).createMeter()
  const storage = meteredStorage({ ...opened, prompts }, meter)
  return { storage, clock, log, nextId, commands, meter }
}

/** A database may be for several servers; the data directory, with its socket and its host key, is for one. */
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
