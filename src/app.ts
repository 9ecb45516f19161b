import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createLog } from './adapters/log/pino-log.ts'
import { loadHostKeys } from './adapters/ssh/host-key.ts'
import { createSshServer } from './adapters/ssh/server.ts'
import { openStorage } from './adapters/storage/open.ts'
import { allModels } from './app/all-models.ts'
import type { AppContext, Overrides, Owned } from './app/context.ts'
import { createChatAndPeople } from './app/chat-and-people.ts'
import { createRoomStatus } from './app/status-line.ts'
import { createClientHandler } from './app/session-host.ts'
import { createActivity, type Activity } from './app/activity.ts'
import { createCurrentConfig, type CurrentConfig } from './app/current-config.ts'
import { createReload, type Reload } from './app/reload.ts'
import { DATABASE } from './app/backup.ts'
import type { Chat } from './chat/chat.ts'
import { createPace } from './chat/pace.ts'
import type { People } from './chat/people.ts'
import { createCompletion } from './commands/completion.ts'
import { createCommands } from './commands/verbs/index.ts'
import { createRunner } from './commands/runner.ts'
import { createSpeech } from './commands/speech.ts'
import { stopAll } from './commands/verbs/stop.ts'
import type { Config } from './config/config.ts'
import { makeDataDir } from './app/data-dir.ts'
import { createIds } from './lib/ids.ts'
import { paths } from './app/paths.ts'
import type { ClientHandler } from './session/ports.ts'

/** A server, put together but not listening yet. Disposing undoes it all, in reverse order. */
export interface App extends AsyncDisposable {
  /** Of the host keys, `SHA256:…`. */
  readonly fingerprints: readonly string[]
  /** Absent once there is an admin. */
  readonly claimCode: string | undefined
  /** Puts another config in force, as far as that goes without a restart. */
  readonly reload: Reload
  /** Takes the configured address; rejects if it cannot. */
  listen(): Promise<{ readonly host: string; readonly port: number }>
}

/** Joins the core with its adapters: this file and the folder of its name are all that knows all of them. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const undo: AsyncDisposable[] = []
  const owned: Owned = (part) => {
    undo.push(part)
    return part
  }
  const dispose = async (): Promise<void> => {
    for (const part of undo.splice(0).toReversed()) await part[Symbol.asyncDispose]()
  }
  try {
    return { ...(await assemble(config, overrides, owned)), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function assemble(
  written: Config,
  overrides: Overrides,
  owned: Owned,
): Promise<Omit<App, keyof AsyncDisposable>> {
  const current = createCurrentConfig({ ...written, models: await allModels(written) })
  const context = await openData(written, overrides, owned)
  const { chat, people, claimCode } = await createChatAndPeople(current, context)
  const activity = await createActivity(current, chat, context, overrides, owned)
  const handler = createHandler(current, chat, people, activity, context)
  const hostKeys = await loadHostKeys(written.dataDir)
  const { limits } = current
  const server = owned(createSshServer({ hostKeys, limits, banner: BANNER, handler, log: context.log }))
  return {
    fingerprints: hostKeys.map((key) => key.fingerprint),
    claimCode,
    reload: createReload(current, activity.tools, context.log),
    listen: () => server.listen(written.listen.host, written.listen.port),
  }
}

const BANNER = 'sshawl lets you in with a key. If you have none: ssh-keygen -t ed25519\n'

async function openData(
  { dataDir, logLevel }: Config,
  overrides: Overrides,
  owned: Owned,
): Promise<AppContext> {
  const log = overrides.log ?? createLog(logLevel)
  const clock = overrides.clock ?? { now: () => Date.now() }
  await makeDataDir(dataDir)
  const file = join(dataDir, DATABASE)
  const storage = owned(await openStorage({ file, migrationsDir: paths.migrations, clock, log }))
  return { storage, clock, log, nextId: createIds(clock, await storage.log.lastId()) }
}

function createHandler(
  current: CurrentConfig,
  chat: Chat,
  people: People,
  activity: Activity,
  context: AppContext,
): ClientHandler {
  const { clock, log, storage } = context
  const { turns, runs } = activity
  const { limits } = current
  const speech = createSpeech(turns, limits)
  const commands = createCommands({ chat, people, speech, ...activity, clock, stores: storage })
  const pace = createPace({ limits, clock, wait: (ms) => wait(ms) })
  return createClientHandler({
    chat,
    people,
    runner: createRunner({ commands, speech, chat, pace, log }),
    roomStatus: createRoomStatus(activity, clock),
    complete: createCompletion(commands, turns),
    stop: (room, person) => stopAll(turns, runs, room, person),
    motd: () => current.now().server.motd,
    stdinBytes: () => limits.paste_bytes,
  })
}
