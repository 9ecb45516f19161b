import { calculator } from './calculator.ts'
import { readFile } from './read-file.ts'
import { runCommand } from './run-command.ts'
import type { Tool } from './tool.ts'
import { historyTool } from './history.ts'
import { lookTool } from './look.ts'
import type { WorldParts } from './world.ts'
import { roomsTool } from './rooms.ts'
import { sayTool } from './say.ts'
import { whoTool } from './who.ts'

/** The tools that the server brings along, in the order in which they are listed. */
export const builtinTools = (): readonly Tool[] => [readFile, runCommand, calculator]

/** The rooms and the people in them, for models: group `internal`. They see what the requester may see. */
export const worldTools = (parts: WorldParts): readonly Tool[] => [
  lookTool(parts),
  whoTool(parts),
  roomsTool(parts),
  historyTool(parts),
  sayTool(parts),
]
