import { calculator } from './calculator.ts'
import { createTool, forkRoomTool } from './create.ts'
import { editFile } from './edit-file.ts'
import { exitsTool } from './exits.ts'
import { fork } from './fork.ts'
import { fdToFile } from './fd-to-file.ts'
import { glob } from './glob.ts'
import { goTool } from './go.ts'
import { googleSearch } from './google-search.ts'
import { grep } from './grep.ts'
import { historyTool } from './history.ts'
import { joinTool, leaveTool } from './join.ts'
import { lookTool } from './look.ts'
import { noteTool } from './note.ts'
import type { ResultStore, Web } from './ports.ts'
import { readFd } from './read-fd.ts'
import { readFile } from './read-file.ts'
import { roomsTool } from './rooms.ts'
import { runCommand } from './run-command.ts'
import { sayTool } from './say.ts'
import { searchTool } from './search.ts'
import { spawnAgent } from './spawn-agent.ts'
import { todoRead, todoWrite, type TodoStore } from './todo.ts'
import type { Tool } from './tool.ts'
import { vibeTool } from './vibe.ts'
import { webFetch } from './web-fetch.ts'
import { whoTool } from './who.ts'
import type { WorldParts } from './world.ts'
import { writeFile } from './write-file.ts'

/** What some of the built-in tools need; those are absent without it. */
export interface BuiltinParts {
  readonly todo?: TodoStore
  readonly web?: Web
  readonly results?: Pick<ResultStore, 'find'>
  /** False where turns may have no side turns. */
  readonly sideTurns?: boolean
}

/** The tools that the server brings along, in the order in which they are listed. */
export const builtinTools = ({
  todo,
  web,
  results,
  sideTurns = true,
}: BuiltinParts = {}): readonly Tool[] => [
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
  ...(sideTurns ? [spawnAgent, fork] : []),
]

/** The rooms and the people in them, for models: group `internal`. They see what the requester may see. */
export const worldTools = (parts: WorldParts): readonly Tool[] => [
  lookTool(parts),
  whoTool(parts),
  roomsTool(parts),
  historyTool(parts),
  searchTool(parts),
  sayTool(parts),
  vibeTool(parts),
  exitsTool(parts),
  goTool(parts),
  joinTool(parts),
  leaveTool(parts),
  createTool(parts),
  forkRoomTool(parts),
  noteTool(parts),
]
