/** Built-in tools, which know only the room of the call. */
import type { ResultStore } from '../results/long-results.ts'
import { WebError, type Web } from '../web.ts'
import { unavailable, type Tool } from '../tool.ts'
import { calculator } from './calculator/calculator.ts'
import { editFile, lookAt, readFile, writeFile } from './files.ts'
import { fdToFile, readFd } from './long-results.ts'
import { fork, spawnAgent } from './side-turns.ts'
import { glob, grep } from './search-files.ts'
import { googleSearch, webFetch } from './web.ts'
import { runCommand } from './run-command.ts'

/** Tools that need an absent `todo` or `results` are omitted. */
export interface BuiltinParts {
  /** Tools for the room's todo list, supplied by the caller. */
  readonly todo?: readonly Tool[]
  readonly results?: Pick<ResultStore, 'find'>
  readonly web?: Web
  /** False if turns may start no side turns. */
  readonly subTurns?: boolean
  /** The reason why no command can run here. */
  readonly noCommands?: string
}

interface OptionalTool {
  readonly id: string
  readonly from: (parts: BuiltinParts) => Tool | undefined
}

const TOOLS: readonly (Tool | OptionalTool)[] = [
  readFile,
  lookAt,
  writeFile,
  editFile,
  glob,
  grep,
  { id: runCommand.id, from: ({ noCommands }) => unavailableIf(noCommands, runCommand) },
  calculator,
  { id: 'web_fetch', from: ({ web }) => (web?.visit ? webFetch(web.visit) : noFetch) },
  { id: 'google_search', from: ({ web }) => (web?.search ? googleSearch(web.search) : noSearch) },
  ...['todo_write', 'todo_read'].map((id) => ({
    id,
    from: ({ todo }: BuiltinParts) => todo?.find((tool) => tool.id === id),
  })),
  { id: 'read_fd', from: ({ results }) => results && readFd(results) },
  { id: 'fd_to_file', from: ({ results }) => results && fdToFile(results) },
  ...[spawnAgent, fork].map((tool) => ({
    id: tool.id,
    from: ({ subTurns = true }: BuiltinParts) => unavailableIf(subTurns ? undefined : NO_SUB_TURNS, tool),
  })),
]

const NO_WEB = 'the config does not turn reading pages on ([tools.web])'
const NO_SEARCH = 'no search provider is configured ([tools.web] search)'
const NO_SUB_TURNS = 'side turns are off ([limits] turn_depth = 0)'

const unavailableIf = (reason: string | undefined, tool: Tool): Tool =>
  reason === undefined ? tool : unavailable(tool, reason)

const noFetch = unavailable(
  webFetch(() => {
    throw new WebError(NO_WEB)
  }),
  NO_WEB,
)

const noSearch = unavailable(
  googleSearch({ provider: 'none', host: 'none', find: () => Promise.reject(new WebError(NO_SEARCH)) }),
  NO_SEARCH,
)

/** For programs: tools that need only a workspace. */
export const WORKSPACE_TOOLS: readonly Tool[] = [
  ...[readFile, writeFile, editFile, glob, grep, runCommand, calculator],
]

/** IDs of all built-in tools, also of omitted ones. */
export const BUILTIN_IDS: readonly string[] = TOOLS.map(({ id }) => id)

/** Lists tools that these parts do not allow with the reason. */
export const builtinTools = (parts: BuiltinParts = {}): readonly Tool[] =>
  TOOLS.flatMap((tool) => ('from' in tool ? (tool.from(parts) ?? []) : tool))
