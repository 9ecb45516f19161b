import { randomUUID } from 'node:crypto'
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isMcpName, MCP_NAME_RULE, namesakeRule } from '../../adapters/mcp/config.ts'
import { configFileOf } from '../../config/config.ts'
import { checkConfig } from '../../config/file.ts'
import type { CommandLine } from '../../config/flags.ts'
import { ConfigError } from '../../config/problem.ts'
import { mcpEntry } from '../../config/mcp-entry.ts'
import { bytes } from '../../lib/bytes.ts'
import { errorCode, errorMessage } from '../../lib/errors.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { isToolWord, toolWords } from '../tools/tool-words.ts'
import { readClientConfig } from '../mcp/import/client-config-file.ts'
import { entryFrom, importedName, type ImportedServer, type McpTable } from '../mcp/import/entry-from.ts'
import { tablesOf } from '../mcp/import/tables.ts'

/** Of a file with MCP servers, in bytes. */
const MAX_BYTES = 1024 * 1024

/**
 * Prints the MCP servers of an agent's file as `[[mcp]]` tables or, with `add`, adds them to the config. What is left to do
 * goes to standard error. All servers or none: where there is any problem, all of them are told, and nothing is printed
 * or changed. Resolves to the exit status.
 */
export async function importMcp(line: ImportLine): Promise<number> {
  try {
    await importAll(line)
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) console.error(cleanLine(`sshawl: ${problem}`))
    return 2
  }
}

type ImportLine = CommandLine & { readonly verb: 'mcp import' }

async function importAll(line: ImportLine): Promise<void> {
  const { target: file, add } = line
  const { servers, skipped } = imported(await textOf(file), file, await toolWords())
  const tables = tablesOf(servers.map(({ entry }) => entry))
  const names = servers.map(({ entry }) => entry.name)
  const config = configFileOf(line)
  if (add) await addTo(config, tables, names)
  console.log(
    add ? `${names.join(', ')} added to ${config}; sshawl reload puts that in force` : tables.trimEnd(),
  )
  for (const note of [...servers.flatMap(({ notes }) => notes), ...skipped]) console.error(cleanLine(note))
}

interface Imported {
  readonly servers: readonly ImportedServer[]
  /** A sentence for each that is turned off there. */
  readonly skipped: readonly string[]
}

function imported(text: string, file: string, words: readonly string[]): Imported {
  const all = [...readClientConfig(text, file)]
  const isOff = ([, { disabled, enabled }]: (typeof all)[number]): boolean =>
    disabled === true || enabled === false
  const wanted = all
    .filter((one) => !isOff(one))
    .map(([name, server]) => [name, importedName(name), server] as const)
  const problems = wanted.flatMap(([written, name], at) => {
    if (!isMcpName(name)) return [`${file}: ${written} cannot be the name of a server: ${MCP_NAME_RULE}`]
    if (isToolWord(name, words))
      return [`${file}: ${written} cannot be the name of a server: ${namesakeRule(name)}`]
    const first = wanted.findIndex((other) => other[1] === name)
    return first === at ? [] : [`${file}: ${wanted[first]?.[0]} and ${written} would both be called ${name}`]
  })
  const servers = wanted.map(([, name, server]) => entryFrom(name, server, file))
  problems.push(...servers.flatMap(({ entry }) => problemsOf(entry, file)))
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    servers,
    skipped: all.filter(isOff).map(([name]) => `${name}: left out, since it is turned off in ${file}`),
  }
}

/** What the config would not take. */
const problemsOf = (entry: McpTable, file: string): readonly string[] =>
  (mcpEntry.safeParse(entry).error?.issues ?? []).flatMap(({ path, message }) =>
    path[0] === 'name' ? [] : [`${file}: ${entry.name}: ${[...path.map(String), message].join(': ')}`],
  )

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > MAX_BYTES) throw new Error(`it has more than ${bytes(MAX_BYTES)}`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    const why =
      error instanceof TypeError ? 'it is no text' : (WHY[errorCode(error) ?? ''] ?? errorMessage(error))
    throw new ConfigError([`${file}: cannot be read: ${why}`])
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'you may not read it',
}

/** The whole config is checked with the new tables before any of it is written; it is never there in part. */
async function addTo(config: string, tables: string, names: readonly string[]): Promise<void> {
  const { path, text, mode } = await configText(config)
  const taken = names.filter((name) => new RegExp(`^\\s*name\\s*=\\s*["']${name}["']`, 'm').test(text))
  const joined = `${text === '' || text.endsWith('\n') ? text : `${text}\n`}${text === '' ? '' : '\n'}${tables}`
  try {
    checkConfig(joined, config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const hint = taken.length > 0 ? ` (${taken.join(', ')}: take it out of one of the two files)` : ''
    throw new ConfigError(error.problems.map((problem) => `${problem}${hint}; nothing was added`))
  }
  const draft = `${path}.${randomUUID()}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(draft, joined, { mode, flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw new ConfigError([`${config}: cannot be written: ${errorMessage(error)}; nothing was added`])
  }
}

/** A config that is not there yet is made, for its owner alone. A link stays one. */
async function configText(config: string): Promise<{ path: string; text: string; mode: number }> {
  try {
    const path = await realpath(config)
    return { path, text: await readFile(path, 'utf8'), mode: (await stat(path)).mode & 0o777 }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { path: config, text: '', mode: 0o600 }
    throw new ConfigError([`${config}: cannot be read: ${errorMessage(error)}; nothing was added`])
  }
}
