import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from './config/config.ts'
import { lineOf } from './config/file.ts'
import { ConfigError } from './config/environment.ts'
import type { Log } from '../base/environment.ts'
import { errorMessage } from '../base/errors.ts'
import { createSerial } from '../base/jobs/serial.ts'
import type { Summaries } from '../turns/summaries/index.ts'
import { allModels, type CurrentConfig } from './current-config.ts'
import { hostKeyProblems, type HostKeys } from './host-keys.ts'
import { toolNameProblems } from './tools/tool-words.ts'
import type { Mcp } from './mcp/admin.ts'
import { located, type ConfiguredTools } from './tools/tool-sources.ts'

/** The result of a reload. Lines are for people, with file and line. */
export interface ReloadResult {
  /** False if the config was rejected and nothing has changed. */
  readonly taken: boolean
  /** Problems in the config if it was rejected, else in modules and `.tool` files, which stay unchanged. */
  readonly problems: readonly string[]
  /** Settings that need a restart, and oddities in `.tool` files. */
  readonly notes: readonly string[]
}

/**
 * Applies the config that `read` returns; `read` may throw `ConfigError`. Reloads run one at a time. Never
 * rejects: any failure is returned as a problem, and the server goes on.
 */
export type Reload = (read: () => Config) => Promise<ReloadResult>

/** Keys that a running server applies. All other keys need a restart, and so do the host keys in `server`. */
const FOLLOWED =
  'server models mcp discoverModels tools memory limits http webhooks notify routines file'.split(' ')

interface ConfigFollowers {
  readonly tools: ConfiguredTools
  readonly mcp: Pick<Mcp, 'follow' | 'list'>
  readonly summaries: Pick<Summaries, 'configChanged'>
  readonly hostKeys: Pick<HostKeys, 'unlike'>
}

export function createReload(current: CurrentConfig, following: ConfigFollowers, log: Log): Reload {
  const oneByOne = createSerial()
  return (read) =>
    oneByOne(async () => {
      const outcome = await reloadOnce(read, current, following)
      for (const problem of outcome.problems) log.error({ problem }, 'a reload found a problem')
      for (const note of outcome.notes) log.warn({ note }, 'a part of a reload is not in force')
      log.info({ taken: outcome.taken, problems: outcome.problems.length }, 'the config was read again')
      return outcome
    })
}

async function reloadOnce(
  read: () => Config,
  current: CurrentConfig,
  { tools, mcp, summaries, hostKeys }: ConfigFollowers,
): Promise<ReloadResult> {
  try {
    const written = read()
    const connected = mcp.list().map(({ name }) => name)
    const wrong = [...(await toolNameProblems(written, { connected })), ...(await hostKeyProblems(written))]
    if (wrong.length > 0) throw new ConfigError(wrong)
    const before = current.now()
    const models = await allModels(written)
    current.replace({ ...before, ...followed(written), models })
    await tools.follow(current.now())
    await mcp.follow()
    await summaries.configChanged()
    const restart = [...(await hostKeys.unlike(written)), ...unfollowed(before, written)]
    const notes = [...restart, ...tools.wrapped.warnings().map(located)]
    return { taken: true, problems: await tools.problems(connected), notes }
  } catch (error) {
    if (error instanceof ConfigError) return rejectedReload(error.problems)
    return rejectedReload([`the config could not be read again: ${errorMessage(error)}`])
  }
}

const rejectedReload = (problems: readonly string[]): ReloadResult => ({ taken: false, problems, notes: [] })

const followed = (config: Config): Partial<Config> =>
  Object.fromEntries(Object.entries(config).filter(([key]) => FOLLOWED.includes(key)))

function unfollowed(before: Config, written: Config): readonly string[] {
  const { file } = written
  const text = file === undefined ? '' : readFileSync(file, 'utf8')
  const differs = (path: readonly string[]): boolean =>
    !isDeepStrictEqual(valueAt(before, path), valueAt(written, path))
  return Object.entries(written)
    .filter(([key]) => !FOLLOWED.includes(key) && differs([key]))
    .flatMap(([key, section]) => keysIn(section).map((inner) => [key, ...inner]))
    .filter(differs)
    .map((path) => `${file}:${lineOf(text, path)}: ${path.join('.')} needs a restart; the old one stays`)
}

const keysIn = (section: unknown): readonly (readonly string[])[] =>
  typeof section === 'object' && section !== null ? Object.keys(section).map((key) => [key]) : [[]]

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null ? Reflect.get(current, key) : undefined,
    value,
  )
