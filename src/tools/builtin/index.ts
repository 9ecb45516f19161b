import type { ResultStore, Web } from '../ports.ts'
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

/** What some of the built-in tools need; those are absent without it. */
export interface BuiltinParts {
  readonly todo?: TodoStore
  readonly web?: Web
  readonly results?: Pick<ResultStore, 'find'>
  /** False where turns may start no sub-turns. */
  readonly subTurns?: boolean
}

/** The tools that the server brings along, in the order in which they are listed. */
export const builtinTools = ({ todo, web, results, subTurns = true }: BuiltinParts = {}): readonly Tool[] => [
  readFile,
  writeFile,
  editFile,
  glob,
  grep,
  runCommand,
  calculator,
  ...(web?.visit ? [webFetch(web.visit)] : []),
  ...(web?.search ? [googleSearch(web.search)] : []),
  ...(todo ? [todoWrite(todo), todoRead(todo)] : []),
  ...(results ? [readFd(results), fdToFile(results)] : []),
  ...(subTurns ? [spawnAgent, fork] : []),
]
