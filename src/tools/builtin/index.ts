/**
 * The tools that every server brings along, one a file: files, commands, the web, lists, sub-turns. They know nothing of
 * rooms but the one they are called in.
 */
import type { ResultStore } from '../ports/results.ts'
import type { Web } from '../ports/web.ts'
import type { Tool } from '../tool.ts'
import { calculator } from './calculator.ts'
import { editFile } from './edit-file.ts'
import { fdToFile } from './fd-to-file.ts'
import { fork } from './fork.ts'
import { glob } from './glob.ts'
import { googleSearch } from './google-search.ts'
import { grep } from './grep.ts'
import { readFd } from './read-fd.ts'
import { readFile } from './read-file.ts'
import { runCommand } from './run-command.ts'
import { spawnAgent } from './spawn-agent.ts'
import { todoRead, todoWrite, type TodoStore } from './todo.ts'
import { webFetch } from './web-fetch.ts'
import { writeFile } from './write-file.ts'

/** What some of the built-in tools need; without its part, a tool is left out. */
export interface BuiltinParts {
  readonly todo?: TodoStore
  readonly web?: Web
  readonly results?: Pick<ResultStore, 'find'>
  /** False where turns may start no sub-turns. */
  readonly subTurns?: boolean
}

/** A tool that exists only where the part is configured that it needs. */
interface OptionalTool {
  readonly id: string
  readonly from: (parts: BuiltinParts) => Tool | false | undefined
}

/** Every tool that the server brings along, in the order in which they are listed. */
const TOOLS: readonly (Tool | OptionalTool)[] = [
  readFile,
  writeFile,
  editFile,
  glob,
  grep,
  runCommand,
  calculator,
  { id: 'web_fetch', from: ({ web }) => web?.visit && webFetch(web.visit) },
  { id: 'google_search', from: ({ web }) => web?.search && googleSearch(web.search) },
  { id: 'todo_write', from: ({ todo }) => todo && todoWrite(todo) },
  { id: 'todo_read', from: ({ todo }) => todo && todoRead(todo) },
  { id: 'read_fd', from: ({ results }) => results && readFd(results) },
  { id: 'fd_to_file', from: ({ results }) => results && fdToFile(results) },
  { id: spawnAgent.id, from: ({ subTurns = true }) => subTurns && spawnAgent },
  { id: fork.id, from: ({ subTurns = true }) => subTurns && fork },
]

/** Ids of all built-in tools, also of those that are left out. */
export const BUILTIN_IDS: readonly string[] = TOOLS.map(({ id }) => id)

/** The built-in tools that these parts allow. */
export const builtinTools = (parts: BuiltinParts = {}): readonly Tool[] =>
  TOOLS.flatMap((tool) => ('from' in tool ? tool.from(parts) || [] : tool))
