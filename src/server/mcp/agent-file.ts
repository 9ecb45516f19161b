// The files in which agents keep their MCP servers, read as the JSON of Claude: Codex has TOML, opencode other keys.
import { readFile } from 'node:fs/promises'
import JSON5 from 'json5'
import { parse } from 'smol-toml'
import { ConfigError } from '../config/environment.ts'
import { errorCode, errorMessage } from '../../base/errors.ts'

export interface AgentServers {
  /** The name and the unchecked table of each server. */
  readonly servers: readonly (readonly [name: string, server: unknown])[]
  readonly notes: readonly string[]
}

/** Reads TOML if the file's name ends in `.toml`, else JSON5, which editors use. Rejects with `ConfigError`. */
export async function readAgentFile(file: string): Promise<AgentServers> {
  const isToml = file.endsWith('.toml')
  const format = isToml ? 'TOML' : 'JSON'
  try {
    const text = await readFile(file, 'utf8')
    return serversIn(isToml ? parse(text) : JSON5.parse(text))
  } catch (error) {
    const said = errorMessage(error).replace(/^(JSON5|Invalid TOML document): |\n.*$/gs, '')
    throw new ConfigError([`${file}: ${WHY[errorCode(error) ?? ''] ?? `not ${format}: ${said}`}`])
  }
}

const WHY: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a directory' }

export const NO_SERVERS =
  'there are no MCP servers in it: it should have { "mcpServers": { "name": { "command": … } } }, ' +
  '"servers" as VS Code writes it, "mcp" of opencode, or [mcp_servers.name] of Codex in a .toml file'

function serversIn(value: unknown): AgentServers {
  const codex = objectAt(value, 'mcp_servers')
  if (codex) return { servers: entriesOf(codex, ofCodex), notes: ['read as the config of Codex'] }
  const claude = objectAt(value, 'mcpServers') ?? objectAt(value, 'servers')
  const opencode = objectAt(value, 'mcp')
  if (claude || !opencode) return { servers: Object.entries(claude ?? {}), notes: projectNotes(value) }
  // Version 2 has one level more.
  const servers = objectAt(opencode, 'servers') ?? opencode
  return { servers: entriesOf(servers, ofOpencode), notes: ['read as the config of opencode'] }
}

type Fields = Readonly<Record<string, unknown>>

const entriesOf = (servers: object, convert: (server: Fields) => unknown): AgentServers['servers'] =>
  Object.entries(servers).map(([name, server]) => [name, isObject(server) ? convert(server) : server])

/** Codex names variables in keys of their own; Claude writes them as `${NAME}`. */
function ofCodex({
  bearer_token_env_var: token,
  env_vars: passed = [],
  env,
  env_http_headers: fromEnv,
  http_headers: headers,
  ...server
}: Fields): Fields {
  const variables = Array.isArray(passed) ? passed.map((name) => [String(name), reference(name)]) : []
  return {
    ...server,
    env: { ...Object.fromEntries(variables), ...(isObject(env) ? env : {}) },
    headers: {
      ...(isObject(headers) ? headers : {}),
      ...Object.fromEntries(
        Object.entries(isObject(fromEnv) ? fromEnv : {}).map(([name, one]) => [name, reference(one)]),
      ),
      ...(token === undefined ? {} : { Authorization: `Bearer ${reference(token)}` }),
    },
  }
}

const reference = (variable: unknown): string => `\${${String(variable)}}`

/** opencode has one list for command and arguments, and writes variables as `{env:NAME}`. */
function ofOpencode({ command, environment, ...server }: Fields): unknown {
  const [program, ...args] = Array.isArray(command) ? (command as readonly unknown[]) : [command]
  const converted = {
    ...server,
    ...(command === undefined ? {} : { command: program, args }),
    ...(environment === undefined ? {} : { env: environment }),
  }
  return JSON.parse(JSON.stringify(converted).replaceAll(/(?<!\$)\{env:(\w+)\}/g, '${$1}'))
}

/** Lists the servers of single projects in Claude's own file, which are not imported. */
const projectNotes = (json: unknown): string[] =>
  Object.entries(objectAt(json, 'projects') ?? {}).flatMap(([project, value]) => {
    const names = Object.keys(objectAt(value, 'mcpServers') ?? {})
    return names.length > 0 ? [`left out: ${names.join(', ')} of projects.${project}.mcpServers`] : []
  })

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function objectAt(value: unknown, key: string): object | undefined {
  const found: unknown = isObject(value) ? Reflect.get(value, key) : undefined
  return isObject(found) ? found : undefined
}
