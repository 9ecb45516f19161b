/**
 * What the server is told: flags, environment and file, checked once, at the start. This folder alone reads the
 * environment. schema.ts is the one place where a key of the file is named; all types derive from it, and what is
 * not changed on the way keeps the file's name, so that one search finds the file, the docs and the code.
 * The folder takes from the adapters that it configures their lists and config types, and nothing takes from it
 * but what puts the server together: it knows nothing of rooms, sessions or turns.
 */
import { dirname, resolve } from 'node:path'
import type { BusConfig } from '../adapters/wire/config.ts'
import type { McpServerConfig } from '../adapters/mcp/config.ts'
import type { ModelConfig } from '../adapters/models/index.ts'
import type { WebConfig } from '../adapters/web/config.ts'
import { busFrom } from './bus.ts'
import {
  configPath,
  dataPath,
  givenBy,
  usualConfigPath,
  type Environment,
  type Given,
} from './environment.ts'
import { noConfigFile, readConfigFile } from './file.ts'
import type { CommandLine } from './flags.ts'
import { mcpFrom } from './mcp.ts'
import { modelsFrom } from './models.ts'
import { ConfigError } from './problem.ts'
import { roomsDirFrom } from './rooms-dir.ts'
import type { FileConfig } from './schema.ts'
import { storageFrom, type StorageConfig } from './storage.ts'
import { webFrom } from './web.ts'
import { workspacesFrom } from './workspaces.ts'

/** Where to listen; port 0 is any free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The checked configuration: flags over environment over file over defaults. Frozen. */
export interface Config extends Omit<
  FileConfig,
  'server' | 'models' | 'mcp' | 'tools' | 'sandbox' | 'http' | 'storage' | 'bus'
> {
  readonly listen: Address
  /** Whom HTTP is for, and where; no `listen`: nowhere. */
  readonly http: FileConfig['http'] & { readonly listen?: Address }
  readonly dataDir: string
  readonly storage: StorageConfig
  /** What carries news between the servers of one database; absent for PostgreSQL itself. */
  readonly bus: BusConfig | undefined
  /** The file that was read; absent where there is none. */
  readonly file: string | undefined
  readonly logLevel: string
  /** `host_keys` are absolute paths. */
  readonly server: Changed<FileConfig['server'], { access: NonNullable<FileConfig['server']['access']> }>
  readonly models: readonly ModelConfig[]
  /** True if the file names no model: then the server looks for models on this machine. */
  readonly discoverModels: boolean
  /** `dirs` and `modules` are absolute paths; `web` is absent if the config turns the web off. */
  readonly tools: Changed<FileConfig['tools'], { web: WebConfig | undefined }>
  /** The servers whose tools the rooms have. */
  readonly mcp: readonly McpServerConfig[]
  /** `workspaces` maps a room to the real path of the directory that it has in place of its own; all others are in `rooms_dir`. */
  readonly sandbox: Changed<
    FileConfig['sandbox'],
    { workspaces: ReadonlyMap<string, string>; rooms_dir: string }
  >
}

/** A part of the file in which some keys have become something else. */
type Changed<Part, Changes> = Readonly<Omit<Part, keyof Changes> & Changes>

/** Throws `ConfigError`. It writes nothing to disk, so that a config with an error changes nothing. */
export function loadConfig({ flags }: CommandLine, env: Environment = process.env): Config {
  const given = givenBy(flags, env)
  const path = configPath(given('config', 'SSHAWL_CONFIG'), env)
  const written = path === undefined ? noConfigFile() : readConfigFile(path)
  const listen = address(given('listen', 'SSHAWL_LISTEN') ?? { value: DEFAULT_LISTEN, from: '--listen' })
  const dataDir = dataPath(given('data', 'SSHAWL_DATA'), env)
  const { server, tools, sandbox, mcp } = written
  const http = given('http', 'SSHAWL_HTTP')
  const mapped = workspacesFrom(sandbox.workspaces, path, dataDir)
  return Object.freeze({
    ...written,
    listen,
    http: { ...written.http, ...(http ? { listen: httpAddress(http) } : {}) },
    dataDir,
    file: path,
    logLevel: logLevel(given('log-level', 'SSHAWL_LOG')),
    server: {
      ...server,
      access: server.access ?? (isLoopback(listen.host) ? 'open' : 'invite'),
      host_keys: besideFile(server.host_keys, path),
    },
    models: modelsFrom(written.models, env),
    discoverModels: written.models.length === 0,
    tools: {
      ...tools,
      dirs: besideFile(tools.dirs, path),
      modules: besideFile(tools.modules, path),
      web: webFrom(tools.web, env),
    },
    storage: storageFrom(written.storage, env),
    bus: busFrom(written.bus, path, env),
    mcp: mcpFrom(mcp, path, env),
    sandbox: {
      ...sandbox,
      workspaces: mapped,
      rooms_dir: roomsDirFrom(sandbox, path, { dataDir, mapped }),
    },
  })
}

/** Paths that are relative to the config file, as absolute ones. */
const besideFile = (paths: readonly string[], file = ''): string[] =>
  paths.map((path) => resolve(dirname(file), path))

/** The data directory that a command line means, whatever is in the file. */
export const dataDirOf = ({ flags }: CommandLine, env: Environment = process.env): string =>
  dataPath(givenBy(flags, env)('data', 'SSHAWL_DATA'), env)

/** The config file that a command line means, whether it is there or not. */
export const configFileOf = ({ flags }: CommandLine, env: Environment = process.env): string =>
  configPath(givenBy(flags, env)('config', 'SSHAWL_CONFIG'), env) ?? usualConfigPath(env)

const DEFAULT_LISTEN = '127.0.0.1:2222'

/** A port alone is one of this machine only. */
const httpAddress = ({ value, from }: Given): Address =>
  address(
    { value: /^:?\d{1,5}$/.test(value) ? `127.0.0.1:${value.replace(':', '')}` : value, from },
    DEFAULT_HTTP,
  )

const DEFAULT_HTTP = '127.0.0.1:2223'

function address({ value, from }: Given, example = DEFAULT_LISTEN): Address {
  const match = /^(?:\[([^\]]+)\]|([^:\s]+)):(\d{1,5})$/.exec(value)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port > 65_535) {
    throw new ConfigError([`${from}: "${value}" is no address; write HOST:PORT, such as ${example}`])
  }
  return { host, port }
}

const LOG_LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

function logLevel(given: Given | undefined): string {
  if (!given) return 'info'
  if (LOG_LEVELS.includes(given.value)) return given.value
  throw new ConfigError([
    `${given.from}: "${given.value}" is no log level; write one of ${LOG_LEVELS.join(', ')}`,
  ])
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.')
