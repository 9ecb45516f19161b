/**
 * Flags, environment and file, checked once at the start. Only this folder reads the environment. Types,
 * checks and docs/config.md are derived from its schemas. It must not know rooms, sessions or turns.
 */
import { dirname, resolve } from 'node:path'
import type { McpServerConfig } from '../../mcp/index.ts'
import type { ModelConfig } from '../../models/index.ts'
import type { WebConfig } from '../../web/index.ts'
import type { BusConfig } from '../../cluster/wire/index.ts'
import { roomsDirFrom, workspacesFrom } from './directories.ts'
import {
  ConfigError,
  configPath,
  dataPath,
  defaultConfigPath,
  settingsOf,
  type Environment,
  type Setting,
} from './environment.ts'
import { noConfigFile, readConfigFile } from './file.ts'
import type { CommandLine } from './flags.ts'
import { mcpFrom } from './mcp.ts'
import { modelsFrom } from './models.ts'
import type { FileConfig } from './schema.ts'
import { busFrom, storageFrom, type StorageConfig } from './storage.ts'
import { webFrom } from './web.ts'
import { type Webhook, webhooksFrom } from './webhooks.ts'

/** Port 0 means any free port. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The checked configuration: flags override the environment, then the file, then defaults. Frozen. */
export interface Config extends Omit<
  FileConfig,
  'server' | 'models' | 'mcp' | 'tools' | 'sandbox' | 'http' | 'storage' | 'bus' | 'webhooks'
> {
  readonly listen: Address
  readonly http: FileConfig['http'] & { readonly listen?: Address }
  readonly dataDir: string
  readonly storage: StorageConfig
  /** Absent for PostgreSQL's notifications. */
  readonly bus: BusConfig | undefined
  readonly file: string | undefined
  readonly logLevel: string
  /** `host_keys` are absolute paths. */
  readonly server: WithChanges<FileConfig['server'], { access: NonNullable<FileConfig['server']['access']> }>
  readonly models: readonly ModelConfig[]
  /** True if the file names no model, so that the server searches for models on this machine. */
  readonly discoverModels: boolean
  /** Paths are absolute; `web` is absent if the web is off. */
  readonly tools: WithChanges<FileConfig['tools'], { web: WebConfig | undefined; allow: AllowRules }>
  readonly mcp: readonly McpServerConfig[]
  readonly webhooks: readonly Webhook[]
  /** Real paths by room; other rooms are in `rooms_dir`. */
  readonly sandbox: WithChanges<
    FileConfig['sandbox'],
    { workspaces: ReadonlyMap<string, string>; rooms_dir: string }
  >
}

type Allow = FileConfig['tools']['allow']
type AllowRules = { readonly [Key in keyof Allow]-?: NonNullable<Allow[Key]> }

type WithChanges<Part, Changes> = Readonly<Omit<Part, keyof Changes> & Changes>

/** Throws `ConfigError`. Writes nothing to disk. */
export function loadConfig({ flags, noRoutines }: CommandLine, env: Environment = process.env): Config {
  const setting = settingsOf(flags, env)
  const path = configPath(setting('config', 'SSHAWL_CONFIG'), env)
  const fromFile = path === undefined ? noConfigFile() : readConfigFile(path)
  const listen = address(setting('listen', 'SSHAWL_LISTEN') ?? { value: DEFAULT_LISTEN, from: '--listen' })
  const dataDir = dataPath(setting('data', 'SSHAWL_DATA'), env)
  const { server, tools, sandbox, mcp } = fromFile
  const http = setting('http', 'SSHAWL_HTTP')
  const access = server.access ?? (isLoopback(listen.host) ? 'open' : 'invite')
  const usual = isOpenToStrangers(access, listen) ? 'ops' : 'requester'
  const mapped = workspacesFrom(sandbox.workspaces, path, dataDir)
  return Object.freeze({
    ...fromFile,
    listen,
    http: { ...fromFile.http, ...(http ? { listen: httpAddress(http) } : {}) },
    dataDir,
    file: path,
    logLevel: logLevel(setting('log-level', 'SSHAWL_LOG')),
    server: {
      ...server,
      access,
      host_keys: besideFile(server.host_keys, path),
    },
    models: modelsFrom(fromFile.models, env),
    discoverModels: fromFile.models.length === 0,
    tools: {
      ...tools,
      dirs: besideFile(tools.dirs, path),
      modules: besideFile(tools.modules, path),
      allow: {
        ...tools.allow,
        execute: tools.allow.execute ?? usual,
        network: tools.allow.network ?? usual,
      },
      web: webFrom(tools.web, env),
    },
    routines: { ...fromFile.routines, enabled: fromFile.routines.enabled && !noRoutines },
    storage: storageFrom(fromFile.storage, env),
    bus: busFrom(fromFile.bus, path, env),
    mcp: mcpFrom(mcp, path, env),
    webhooks: webhooksFrom(fromFile.webhooks, env),
    sandbox: {
      ...sandbox,
      workspaces: mapped,
      rooms_dir: roomsDirFrom(sandbox, path, { dataDir, mapped }),
    },
  })
}

/**
 * Returns the rooms that the config trusts by name, each with the key that names it. Only admins may give
 * such a name to a room.
 */
export const namedRooms = ({
  sandbox,
  webhooks,
}: Pick<Config, 'sandbox' | 'webhooks'>): ReadonlyMap<string, string> =>
  new Map([
    ...webhooks.flatMap(({ rooms = [] }) => rooms.map((room) => [room, 'webhooks.rooms'] as const)),
    ...[...sandbox.workspaces.keys()].map((room) => [room, 'sandbox.workspaces'] as const),
  ])

const besideFile = (paths: readonly string[], file = ''): string[] =>
  paths.map((path) => resolve(dirname(file), path))

export const dataDirOf = ({ flags }: CommandLine, env: Environment = process.env): string =>
  dataPath(settingsOf(flags, env)('data', 'SSHAWL_DATA'), env)

/** Returns the file's path, whether it exists or not. */
export const configFileOf = ({ flags }: CommandLine, env: Environment = process.env): string =>
  configPath(settingsOf(flags, env)('config', 'SSHAWL_CONFIG'), env) ?? defaultConfigPath(env)

const DEFAULT_LISTEN = '127.0.0.1:2222'

/** A port alone means an address of this machine only. */
const httpAddress = ({ value, from }: Setting): Address =>
  address(
    { value: /^:?\d{1,5}$/.test(value) ? `127.0.0.1:${value.replace(':', '')}` : value, from },
    DEFAULT_HTTP,
  )

const DEFAULT_HTTP = '127.0.0.1:2223'

function address({ value, from }: Setting, example = DEFAULT_LISTEN): Address {
  const match = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(value)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port > 65_535) {
    throw new ConfigError([`${from}: "${value}" is no address; write HOST:PORT, such as ${example}`])
  }
  return { host, port }
}

const LOG_LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

function logLevel(setting: Setting | undefined): string {
  if (!setting) return 'info'
  if (LOG_LEVELS.includes(setting.value)) return setting.value
  throw new ConfigError([
    `${setting.from}: "${setting.value}" is no log level; write one of ${LOG_LEVELS.join(', ')}`,
  ])
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')

/** True if anybody can connect from other machines. */
export const isOpenToStrangers = (access: string, { host }: Address): boolean =>
  access === 'open' && !isLoopback(host)
