// `sshawl mcp import FILE`: the MCP servers of an agent's JSON as `[[mcp]]` tables. No secret is copied: the config
// names the environment variables that are to hold them.
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import JSON5 from 'json5'
import { stringify } from 'smol-toml'
import { z } from 'zod'
import { namesakeRule } from '../../adapters/mcp/config.ts'
import { isSecretName } from '../../adapters/mcp/redact.ts'
import { holdsSecret } from '../../chat/typing/secrets.ts'
import { configFileOf } from '../../config/config.ts'
import { checkConfig } from '../../config/file.ts'
import type { CommandLine } from '../../config/flags.ts'
import { mcpEntry } from '../../config/mcp-entry.ts'
import { ConfigError } from '../../config/problem.ts'
import { errorCode, errorMessage } from '../../lib/errors.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { isToolWord, toolWords } from '../tools/tool-words.ts'

/**
 * Prints the tables or, with `add`, adds them to the config; notes go to standard error. If there is any problem, all
 * are told, and nothing is printed or changed. Resolves to the exit status.
 */
export async function importMcp(line: CommandLine & { readonly verb: 'mcp import' }): Promise<number> {
  try {
    const { entries, notes } = tablesOf(await jsonIn(line.target), line.target, await toolWords())
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

/** JSON, also with comments and commas at the end, as editors keep it. */
async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON5.parse(await readFile(file, 'utf8'))
  } catch (error) {
    const why = WHY[errorCode(error) ?? ''] ?? errorMessage(error).replace(/^JSON5: /, 'not JSON: ')
    throw new ConfigError([`${file}: ${why}`])
  }
}

const WHY: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a directory' }

/** No program can be given a NUL, and no terminal should be shown the others. Blanks and ends of lines are text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const text = z.string().refine((written) => !CONTROL.test(written), 'has a control character in it')
const word = z.union([text, z.number(), z.boolean()]).transform(String)
const texts = z.record(text, word).default({})

/** A server as Claude, Cursor and VS Code write it, with Gemini's and Windsurf's words for an address. */
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

interface Imported {
  readonly entry: { readonly name: string }
  readonly notes: readonly string[]
}

/** Throws `ConfigError` with all that is wrong. */
function tablesOf(json: unknown, file: string, words: readonly string[]) {
  const servers = objectAt(json, 'mcpServers') ?? objectAt(json, 'servers')
  const notes = projectNotes(json)
  if (!servers || Object.keys(servers).length === 0)
    throw new ConfigError([
      `${file}: there are no MCP servers in it: it should have { "mcpServers": { "name": { "command": … } } }, or "servers" as VS Code writes it`,
      ...notes.map((note) => `${file}: ${note}`),
    ])
  const problems: string[] = []
  const entries: Imported['entry'][] = []
  for (const [called, value] of Object.entries(servers)) {
    const wrong = (path: readonly PropertyKey[], message: string): number =>
      problems.push(`${file}: ${[called, ...path.map(String)].join('.')}: ${message}`)
    const { data, error } = clientServer.safeParse(value)
    if (data && (data.disabled || !data.enabled)) notes.push(`${called}: left out, since it is turned off`)
    else if (data) {
      const { entry, notes: more } = importedFrom(called, data)
      if (isToolWord(entry.name, words)) wrong([], namesakeRule(entry.name))
      if (entries.some(({ name }) => name === entry.name))
        wrong([], `another one is called ${entry.name}, too`)
      for (const { path, message } of mcpEntry.safeParse(entry).error?.issues ?? []) wrong(path, message)
      entries.push(entry)
      notes.push(...more)
    }
    for (const { path, message } of error?.issues ?? []) wrong(path, message)
  }
  if (problems.length + entries.length === 0) problems.push(`${file}: all servers in it are turned off`)
  if (problems.length > 0) throw new ConfigError(problems)
  return { entries, notes }
}

function objectAt(json: unknown, key: string): object | undefined {
  const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, key) : undefined
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

/** Claude's own file has servers of single projects beside those of its person. */
const projectNotes = (json: unknown): string[] =>
  Object.entries(objectAt(json, 'projects') ?? {}).flatMap(([project, value]) => {
    const names = Object.keys(objectAt(value, 'mcpServers') ?? {})
    return names.length > 0 ? [`left out: ${names.join(', ')} of projects.${project}.mcpServers`] : []
  })

/** `My Files` becomes `my-files`; it may still be no name that a server can have. */
const importedName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32)

function importedFrom(called: string, server: ClientServer): Imported {
  const name = importedName(called)
  const { url } = server
  const { table, toSet } = url === undefined ? byCommand(server) : byUrl(name, url, server)
  const copied = url === undefined ? [server.command ?? '', ...server.args, server.cwd ?? ''] : [url]
  const placeholder = PLACEHOLDER.exec(copied.join(' '))?.[0]
  const rest = Object.keys(server).filter((key) => !Object.hasOwn(written.shape, key))
  const notes = [
    ...(toSet.length > 0 ? [`set ${toSet.join(', ')} in the environment of sshawl serve`] : []),
    ...(placeholder === undefined ? [] : [`write a value for ${placeholder}, which only the agent knows`]),
    ...(copied.some(mayHoldKey)
      ? ['a key may be in its command or address; keep the config to yourself']
      : []),
    ...(rest.length > 0 ? [`left out: ${rest.join(', ')}`] : []),
  ]
  return { entry: { name, ...table }, notes: notes.map((note) => `${name}: ${note}`) }
}

/** Also `--api-key`, `Authorization: Bearer …` for a proxy, and a parameter of an address. */
function mayHoldKey(copied: string): boolean {
  const named = /^[a-z]+:\/\//i.test(copied) ? copied.replace(/^[^?]*/, '') : copied
  return isSecret(copied) || (/^[-?]|[=:]/.test(named) && isSecretName(named))
}

const isSecret = (value: string): boolean => holdsSecret(value) || /:\/\/[^/\s@]+@/.test(value)

/** `${NAME}`, `${NAME:-other}`, `${env:NAME}`, `$NAME`: the client would have put a variable there. */
const VARIABLE = /^\$(?:\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}|([A-Za-z_]\w*))$/

/** Something else that a client would have filled in. */
const PLACEHOLDER = /\$\{[^}]*\}/

function variableIn(value: string): string | undefined {
  const [, braced, bare] = VARIABLE.exec(value) ?? []
  return braced ?? bare
}

function byCommand({ command = '', args, env, cwd }: ClientServer) {
  const isCopied = ([variable, value]: readonly [string, string]): boolean =>
    variableIn(value) === undefined &&
    !PLACEHOLDER.test(value) &&
    (value === '' || !(isSecretName(variable) || isSecret(value)))
  const plain = Object.fromEntries(Object.entries(env).filter(isCopied))
  const toSet = Object.keys(env).filter((variable) => !Object.hasOwn(plain, variable))
  const table = {
    command: [command, ...args],
    ...(cwd === undefined ? {} : { cwd }),
    ...(toSet.length > 0 ? { pass_env: toSet } : {}),
    ...(Object.keys(plain).length > 0 ? { env: plain } : {}),
  }
  return { table, toSet }
}

function byUrl(name: string, url: string, { headers }: ClientServer) {
  const header_env: Record<string, string> = {}
  let token_env: string | undefined
  for (const [header, value] of Object.entries(headers)) {
    const token = /^authorization$/i.test(header) ? /^bearer\s+(\S+)$/i.exec(value)?.[1] : undefined
    const variable = variableIn(token ?? value) ?? variableFor(name, token === undefined ? header : 'TOKEN')
    if (token === undefined) header_env[header] = variable
    else token_env = variable
  }
  const table = {
    url,
    ...(token_env === undefined ? {} : { token_env }),
    ...(Object.keys(header_env).length > 0 ? { header_env } : {}),
  }
  return { table, toSet: [...(token_env === undefined ? [] : [token_env]), ...Object.values(header_env)] }
}

/** `github` and `X-Api-Key` give GITHUB_X_API_KEY. */
const variableFor = (name: string, what: string): string =>
  `${name}_${what}`
    .toUpperCase()
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')

/** The whole config is checked with the new tables before any of it is written; it is never there in part. */
async function addTo(config: string, tables: string): Promise<void> {
  let draft: string | undefined
  try {
    const { path, before, mode } = await configText(config)
    const joined = before === '' ? tables : `${before.trimEnd()}\n\n${tables}`
    checkConfig(joined, config)
    draft = `${path}.${randomUUID()}`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, joined, { mode, flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    if (draft !== undefined) await rm(draft, { force: true })
    const problems = error instanceof ConfigError ? error.problems : [`${config}: ${errorMessage(error)}`]
    throw new ConfigError(problems.map((problem) => `${problem}; nothing was added`))
  }
}

/** A config that is not there yet is made, for its owner alone. A link stays one. */
async function configText(config: string): Promise<{ path: string; before: string; mode: number }> {
  try {
    const path = await realpath(config)
    return { path, before: await readFile(path, 'utf8'), mode: (await stat(path)).mode & 0o777 }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { path: config, before: '', mode: 0o600 }
    throw error
  }
}
