// `sshawl mcp import FILE` converts the MCP servers of an agent's file to `[[mcp]]` tables. It copies no
// secret: the config names environment variables.
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { stringify } from 'smol-toml'
import { z } from 'zod'
import { namesakeRule, isSecretName } from '../../mcp/index.ts'
import { holdsSecret } from '../../chat/personal/index.ts'
import { configFileOf } from '../config/config.ts'
import { checkConfig } from '../config/file.ts'
import type { CommandLine } from '../config/flags.ts'
import { mcpEntry } from '../config/mcp.ts'
import { ConfigError } from '../config/environment.ts'
import { errorMessage } from '../../base/errors.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { isToolWord, toolWords } from '../tools/tool-words.ts'
import { type AgentServers, NO_SERVERS, readAgentFile } from './agent-file.ts'

/**
 * Prints the tables or, with `add`, adds them to the config. If there is any problem, prints all problems and
 * changes nothing. Resolves to the exit status.
 */
export async function importMcp(line: CommandLine & { readonly verb: 'mcp import' }): Promise<number> {
  try {
    const { entries, notes } = tablesOf(await readAgentFile(line.target), line.target, await toolWords())
    const tables = stringify({ mcp: entries })
    const names = entries.map(({ name }) => name).join(', ')
    const config = configFileOf(line)
    if (line.add) await addTo(config, tables)
    console.log(line.add ? `${names} added to ${config}; sshawl reload puts that in force` : tables.trimEnd())
    for (const note of notes) console.error(cleanLine(note))
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) console.error(cleanLine(`sshawl: ${problem}`))
    return 2
  }
}

/** Programs cannot receive a NUL, and a terminal should show no other control characters either. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const text = z.string().refine((written) => !CONTROL.test(written), 'has a control character in it')
const word = z.union([text, z.number(), z.boolean()]).transform(String)
const texts = z.record(text, word).default({})

/** The format of Claude, Cursor and VS Code, with the URL keys of Gemini and Windsurf. */
const written = z.looseObject({
  type: z.string().optional(),
  command: text.optional(),
  args: z.array(word).default([]),
  env: texts,
  cwd: text.optional(),
  url: text.optional(),
  httpUrl: text.optional(),
  serverUrl: text.optional(),
  headers: texts,
  disabled: z.boolean().default(false),
  enabled: z.boolean().default(true),
})
const clientServer = written
  .transform(({ httpUrl, serverUrl, ...server }) => ({ ...server, url: server.url ?? httpUrl ?? serverUrl }))
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    message: 'give it either a command or a url',
  })

type ClientServer = z.output<typeof clientServer>

/** Converts all servers. Throws `ConfigError` with all problems. */
function tablesOf({ servers, notes: ofFile }: AgentServers, file: string, words: readonly string[]) {
  const notes = [...ofFile]
  const problems: string[] = []
  const entries: { readonly name: string }[] = []
  if (servers.length === 0) problems.push(NO_SERVERS, ...notes)
  for (const [called, value] of servers) {
    const wrong = (path: readonly PropertyKey[], message: string): number =>
      problems.push(`${[called, ...path.map(String)].join('.')}: ${message}`)
    const { data, error } = clientServer.safeParse(value)
    for (const { path, message } of error?.issues ?? []) wrong(path, message)
    if (data && (data.disabled || !data.enabled)) notes.push(`${called}: left out, since it is turned off`)
    else if (data) {
      const { entry, notes: more } = toConfigEntry(called, data)
      if (isToolWord(entry.name, words)) wrong([], namesakeRule(entry.name))
      if (entries.some(({ name }) => name === entry.name))
        wrong([], `another one is called ${entry.name}, too`)
      for (const { path, message } of mcpEntry.safeParse(entry).error?.issues ?? []) wrong(path, message)
      entries.push(entry)
      notes.push(...more)
    }
  }
  if (problems.length + entries.length === 0) problems.push('all servers in it are turned off')
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${file}: ${problem}`))
  return { entries, notes }
}

function toConfigEntry(called: string, server: ClientServer) {
  const { command = '', args, cwd = '', url } = server
  // The result may still be invalid as a server's name.
  const dashed = called.toLowerCase().replace(/[^a-z0-9_-]+/g, '-')
  const name = dashed.replace(/^-+|-+$/g, '').slice(0, 32)
  const { table, toSet } = url === undefined ? byCommand(server) : byUrl(name, url, server)
  const copied = url === undefined ? [command, ...args, cwd] : [url]
  const [placeholder] = PLACEHOLDER.exec(copied.join(' ')) ?? []
  const rest = Object.keys(server).filter((key) => !Object.hasOwn(written.shape, key))
  const notes = [
    toSet.length > 0 && `set ${toSet.join(', ')} in the environment of sshawl serve`,
    placeholder !== undefined && `write a value for ${placeholder}, which only the agent knows`,
    copied.some(mayHoldKey) && 'a key may be in its command or address; keep the config to yourself',
    rest.length > 0 && `left out: ${rest.join(', ')}`,
  ]
  return { entry: { name, ...table }, notes: notes.flatMap((note) => (note ? [`${name}: ${note}`] : [])) }
}

/** Also checks flags such as `--api-key`, an `Authorization: Bearer …` for a proxy, and query parameters. */
function mayHoldKey(copied: string): boolean {
  const named = /^[a-z]+:\/\//i.test(copied) ? copied.replace(/^[^?]*/, '') : copied
  return isSecret(copied) || (/^[-?]|[=:]/.test(named) && isSecretName(named))
}

const isSecret = (value: string): boolean => holdsSecret(value) || /:\/\/[^/\s@]+@/.test(value)

const VARIABLE = /^\$(?:\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}|([A-Za-z_]\w*))$/

const PLACEHOLDER = /\$\{[^}]*\}/

function variableIn(value: string): string | undefined {
  const [, braced, bare] = VARIABLE.exec(value) ?? []
  return braced ?? bare
}

function byCommand({ command = '', args, env, cwd }: ClientServer) {
  const toSet = Object.entries(env).flatMap(([variable, value]) => {
    const isFilledIn = variableIn(value) !== undefined || PLACEHOLDER.test(value)
    return isFilledIn || (value !== '' && (isSecretName(variable) || isSecret(value))) ? [variable] : []
  })
  const plain = Object.entries(env).filter(([variable]) => !toSet.includes(variable))
  const table = {
    command: [command, ...args],
    ...(cwd === undefined ? {} : { cwd }),
    ...(toSet.length > 0 ? { pass_env: toSet } : {}),
    ...(plain.length > 0 ? { env: Object.fromEntries(plain) } : {}),
  }
  return { table, toSet }
}

function byUrl(name: string, url: string, { headers }: ClientServer) {
  const table: { url: string; token_env?: string; header_env?: Record<string, string> } = { url }
  const toSet = Object.entries(headers).map(([header, value]) => {
    const token = /^authorization$/i.test(header) ? /^bearer\s+(\S+)$/i.exec(value)?.[1] : undefined
    const variable = variableIn(token ?? value) ?? variableFor(name, token === undefined ? header : 'TOKEN')
    if (token === undefined) table.header_env = { ...table.header_env, [header]: variable }
    else table.token_env = variable
    return variable
  })
  return { table, toSet }
}

const variableFor = (name: string, what: string): string =>
  `${name}_${what}`
    .toUpperCase()
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')

/** Checks the whole config before it writes the tables. Creates a new file with mode 0600. */
async function addTo(config: string, tables: string): Promise<void> {
  try {
    const before = existsSync(config) ? await readFile(config, 'utf8') : ''
    const added = `${before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n'}${tables}`
    checkConfig(before + added, config)
    await mkdir(dirname(config), { recursive: true, mode: 0o700 })
    await appendFile(config, added, { mode: 0o600 })
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [`${config}: ${errorMessage(error)}`]
    throw new ConfigError(problems.map((problem) => `${problem}; nothing was added`))
  }
}
