/**
 * The tools that every server brings along, one a file: files, commands, the web, lists, sub-turns. They know
 * nothing of rooms but the one they are called in.
 */
import type { ResultStore } from '../long-results.ts'
import { WebError, type Web } from '../web.ts'
import { unavailable, type Tool } from '../tool.ts'
import { calculator } from './calculator/calculator.ts'
import { editFile, readFile, writeFile } from './files.ts'
import { fdToFile, readFd } from './long-results.ts'
import { fork, spawnAgent } from './side-turns.ts'
import { glob, grep } from './search-files.ts'
import { googleSearch, webFetch } from './web.ts'
import { runCommand } from './run-command.ts'
import { todoRead, todoWrite, type TodoStore } from './todo.ts'

/** What some of the built-in tools need. */
export interface BuiltinParts {
  /** Without it the todo list's tools are left out. */
  readonly todo?: TodoStore
  /** Without it the tools for long results are left out. */
  readonly results?: Pick<ResultStore, 'find'>
  /** What it does not have cannot be used here. */
  readonly web?: Web
  /** False where turns may start no sub-turns. */
  readonly subTurns?: boolean
  /** Why no command can run here; absent where commands can. */
  readonly noCommands?: string
}

/** A tool that depends on what is configured. */
interface OptionalTool {
  readonly id: string
  readonly from: (parts: BuiltinParts) => Tool | undefined
}

/** Every tool that the server brings along, in the order in which they are listed. */
const TOOLS: readonly (Tool | OptionalTool)[] = [
  readFile,
  writeFile,
  editFile,
  glob,
  grep,
  { id: runCommand.id, from: ({ noCommands }) => unless(noCommands, runCommand) },
  calculator,
  { id: 'web_fetch', from: ({ web }) => (web?.visit ? webFetch(web.visit) : noFetch) },
  { id: 'google_search', from: ({ web }) => (web?.search ? googleSearch(web.search) : noSearch) },
  { id: 'todo_write', from: ({ todo }) => todo && todoWrite(todo) },
  { id: 'todo_read', from: ({ todo }) => todo && todoRead(todo) },
  { id: 'read_fd', from: ({ results }) => results && readFd(results) },
  { id: 'fd_to_file', from: ({ results }) => results && fdToFile(results) },
  {
    id: spawnAgent.id,
    from: ({ subTurns = true }) => unless(subTurns ? undefined : NO_SUB_TURNS, spawnAgent),
  },
  { id: fork.id, from: ({ subTurns = true }) => unless(subTurns ? undefined : NO_SUB_TURNS, fork) },
]

const NO_WEB = 'the config does not turn reading pages on ([tools.web])'
const NO_SEARCH = 'no search provider is configured ([tools.web] search)'
const NO_SUB_TURNS = 'side turns are off ([limits] turn_depth = 0)'

const unless = (reason: string | undefined, tool: Tool): Tool =>
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

/** Those that need nothing but a workspace, for programs. */
export const WORKSPACE_TOOLS: readonly Tool[] = [
  ...[readFile, writeFile, editFile, glob, grep, runCommand],
  calculator,
]

/** Ids of all built-in tools, also of those that are left out. */
export const BUILTIN_IDS: readonly string[] = TOOLS.map(({ id }) => id)

/** The built-in tools. Those that these parts do not allow are listed with the reason. */
export const builtinTools = (parts: BuiltinParts = {}): readonly Tool[] =>
  TOOLS.flatMap((tool) => ('from' in tool ? (tool.from(parts) ?? []) : tool))
