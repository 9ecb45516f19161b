import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { AccessPolicy } from '../chat/people.ts'
import { noConfigFile, readConfigFile } from './file.ts'
import type { CommandLine, FlagName } from './flags.ts'
import { modelsFrom } from './models.ts'
import { webFrom } from './web.ts'
import { workspacesFrom } from './workspaces.ts'
import { ConfigError } from './problem.ts'
import type { FileConfig } from './schema.ts'
import type { WebConfig } from '../adapters/web/config.ts'
import type { ModelConfig } from '../adapters/models/index.ts'

/** Where to listen; port 0 is any free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The checked configuration: flags over environment over file over defaults. Frozen. */
export interface Config {
  readonly listen: Address
  readonly dataDir: string
  /** The file that was read; absent where there is none. */
  readonly file: string | undefined
  readonly logLevel: string
  readonly access: AccessPolicy
  readonly motd: string
  readonly admins: readonly string[]
  readonly models: readonly ModelConfig[]
  /** No model is configured, so that those on this machine may be looked for. */
  readonly discoverModels: boolean
  readonly tools: FileConfig['tools']
  /** Absent where nothing of the web is to be had. */
  readonly web: WebConfig | undefined
  readonly sandbox: {
    readonly mode: FileConfig['sandbox']['mode']
    /** Real paths of the directories that rooms have in place of their own. */
    readonly workspaces: ReadonlyMap<string, string>
    /** MiB on disk for the files of each other room; 0: no limit. */
    readonly diskMb: number
  }
  readonly lua: FileConfig['lua']
  readonly limits: FileConfig['limits']
}

/** The process's environment: read here and nowhere else. */
export type Environment = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const DEFAULT_LISTEN = '127.0.0.1:2222'

/** Throws `ConfigError`. Makes nothing: a config that cannot be used leaves no trace. */
export function loadConfig({ flags }: CommandLine, env: Environment = process.env): Config {
  const given = (flag: FlagName, variable: string) => fromFlagOrEnv(flags, env, flag, variable)
  const path = configPath(given('config', 'SSHAWL_CONFIG'), env)
  const file = path === undefined ? noConfigFile() : readConfigFile(path)
  const listen = address(given('listen', 'SSHAWL_LISTEN') ?? { value: DEFAULT_LISTEN, from: '--listen' })
  const dataDir = resolve(given('data', 'SSHAWL_DATA')?.value ?? join(dataHome(env), 'sshawl'))
  refuseWhatIsToCome(given('http', 'SSHAWL_HTTP'), file, path)
  return Object.freeze({
    listen,
    dataDir,
    file: path,
    logLevel: logLevel(given('log-level', 'SSHAWL_LOG')),
    access: file.server.access ?? (isLoopback(listen.host) ? 'open' : 'invite'),
    motd: file.server.motd,
    admins: file.server.admins,
    models: modelsFrom(file.models, env),
    discoverModels: file.models.length === 0,
    tools: file.tools,
    web: webFrom(file, env),
    sandbox: {
      mode: file.sandbox.mode,
      workspaces: workspacesFrom(file, path, dataDir),
      diskMb: file.sandbox.disk_mb,
    },
    lua: file.lua,
    limits: file.limits,
  })
}

/** The contract has a place for these, and this version does nothing with them: silence would be a lie. */
function refuseWhatIsToCome(http: Given | undefined, file: FileConfig, path: string | undefined): void {
  if (http) throw new ConfigError([`${http.from}: this version does not serve HTTP yet; leave it out`])
  if (file.mcp.length > 0) {
    throw new ConfigError([`${path}: mcp: this version does not connect to MCP servers yet; leave it out`])
  }
}

/** A value, and what to name when it is wrong. */
interface Given {
  readonly value: string
  readonly from: string
}

function fromFlagOrEnv(
  flags: CommandLine['flags'],
  env: Environment,
  flag: FlagName,
  variable: string,
): Given | undefined {
  const onLine = flags[flag]
  if (onLine !== undefined) return { value: onLine, from: `--${flag}` }
  const value = env[variable]
  return value ? { value, from: variable } : undefined
}

function configPath(given: Given | undefined, env: Environment): string | undefined {
  if (given) return resolve(given.value)
  const usual = join(env['XDG_CONFIG_HOME'] || join(home(env), '.config'), 'sshawl', 'sshawl.toml')
  return existsSync(usual) ? usual : undefined
}

const home = (env: Environment): string => env['HOME'] || homedir()

const dataHome = (env: Environment): string => env['XDG_DATA_HOME'] || join(home(env), '.local', 'share')

function address({ value, from }: Given): Address {
  const match = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(value)
  const port = Number(match?.[3])
  if (!match || port > 65_535) {
    throw new ConfigError([`${from}: "${value}" is no address; write HOST:PORT, such as ${DEFAULT_LISTEN}`])
  }
  return { host: match[1] ?? match[2]!, port }
}

function logLevel(given: Given | undefined): string {
  if (!given) return 'info'
  if (LOG_LEVELS.includes(given.value)) return given.value
  throw new ConfigError([
    `${given.from}: "${given.value}" is no log level; write one of ${LOG_LEVELS.join(', ')}`,
  ])
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')
