import { readFileSync } from 'node:fs'
import { namesakeRule } from '../../mcp/index.ts'
import type { ToolModules } from '../../tools/modules/index.ts'
import { loadToolFiles } from '../../tools/wrapped/index.ts'
import { ignoreStorageError } from '../../words/errors.ts'
import type { Config } from '../config/config.ts'
import { lineOf } from '../config/file.ts'
import { closest } from '../../base/suggest.ts'
import { findToolsDefinition } from '../../wrap/scope/index.ts'
import { BUILTIN_IDS } from '../../tools/builtin/index.ts'
import type { ConnectedMcpStore } from '../../tools/index.ts'
import { ROOM_TOOL_IDS, ROOM_TOOL_NAMES } from '../../turns/room-tools/index.ts'
import { paths } from '../../base/paths.ts'

export interface LoadedToolSources {
  /** Absent if modules are not loaded yet. */
  readonly modules?: Pick<ToolModules, 'tools' | 'problems'>
  /** Names of MCP servers that admins connected; absent if unknown. */
  readonly connected?: readonly string[] | undefined
}

/** IDs and names of tools that exist with every config. */
const ALWAYS: readonly string[] = [
  ...BUILTIN_IDS,
  ...ROOM_TOOL_IDS,
  ...ROOM_TOOL_NAMES,
  findToolsDefinition.name,
]

/** Finds unknown IDs in `[tools] disabled`, and MCP servers with the name of a tool. Never rejects. */
export async function toolNameProblems(
  config: Config,
  beside: LoadedToolSources = {},
): Promise<readonly string[]> {
  const { file, tools, mcp } = config
  if (file === undefined || (tools.disabled.length === 0 && mcp.length === 0)) return []
  const known = await wordsOf(config, beside)
  const text = readFileSync(file, 'utf8')
  return [...unknownDisabled(config, known, beside, text), ...namesakes(config, known, text)]
}

/** The ids and names of tools that are known without asking a server. Never rejects. */
export async function toolWords(dirs: readonly string[] = []): Promise<readonly string[]> {
  const { definitions } = await loadToolFiles([...dirs, paths.wrappedTools])
  return [...ALWAYS, ...definitions.map(({ name }) => name)]
}

/** Resolves to undefined if the storage cannot be read. */
export async function connectedNames(
  store: Pick<ConnectedMcpStore, 'all'>,
): Promise<readonly string[] | undefined> {
  return (await store.all().catch(ignoreStorageError))?.map(({ name }) => name)
}

interface KnownToolWords {
  readonly words: readonly string[]
  /** False if a `.tool` file or a module is unreadable or not loaded yet, because it may define any name. */
  readonly isAll: boolean
}

async function wordsOf({ tools }: Config, { modules }: LoadedToolSources): Promise<KnownToolWords> {
  const loaded = await loadToolFiles([...tools.dirs, paths.wrappedTools])
  const hasModules = tools.modules.length === 0 || (modules !== undefined && modules.problems().length === 0)
  return {
    words: [
      ...ALWAYS,
      ...(modules?.tools().map(({ id }) => id) ?? []),
      ...loaded.definitions.map(({ name }) => name),
    ],
    isAll: hasModules && loaded.problems.length === 0 && loaded.complete,
  }
}

function unknownDisabled(
  { file, tools, mcp }: Config,
  { words, isAll }: KnownToolWords,
  { connected }: LoadedToolSources,
  text: string,
): readonly string[] {
  if (!isAll) return []
  const line = lineOf(text, ['tools', 'disabled'])
  const servers = [...mcp.map(({ name }) => name), ...(connected ?? [])]
  // The room tools are disabled by ID, not by name.
  const ids = words.filter((word) => !ROOM_TOOL_NAMES.includes(word) || BUILTIN_IDS.includes(word))
  // The tools of an MCP server are known only when it answers.
  const mayBe = (id: string): boolean =>
    servers.some((name) => id.startsWith(`${name}_`)) || (connected === undefined && mayBeOfServer(id, ids))
  return tools.disabled
    .filter((id) => !ids.includes(id) && !mayBe(id))
    .map(
      (name) => `${file}:${line}: tools.disabled: there is no tool called ${name}${didYouMeanId(name, ids)}`,
    )
}

/**
 * True if an ID may be a tool of an MCP server that an admin connected. An ID similar to a known tool counts
 * as a typo.
 */
const mayBeOfServer = (id: string, ids: readonly string[]): boolean =>
  /^[a-z0-9-]+_./.test(id) && didYouMeanId(id, ids) === ''

function didYouMeanId(name: string, ids: readonly string[]): string {
  const near = ids.includes(`sshawl_${name}`) ? `sshawl_${name}` : closest(name, ids)
  return near === undefined ? '' : `; did you mean ${near}?`
}

function namesakes({ file, mcp }: Config, { words }: KnownToolWords, text: string): readonly string[] {
  return mcp.flatMap(({ name }, at) =>
    isToolWord(name, words)
      ? [`${file}:${lineOf(text, ['mcp', String(at), 'name'])}: mcp.name: ${namesakeRule(name)}`]
      : [],
  )
}

/** Compares without regard to case. */
export const isToolWord = (name: string, words: readonly string[]): boolean =>
  words.some((word) => word.toLowerCase() === name.toLowerCase())
