import type { Tool } from '../tool.ts'
import { createTool, forkRoomTool } from './create.ts'
import { exitsTool } from './exits.ts'
import { goTool } from './go.ts'
import { historyTool } from './history.ts'
import { joinTool, leaveTool } from './join.ts'
import { lookTool } from './look.ts'
import { noteTool } from './note.ts'
import { roomsTool } from './rooms.ts'
import { sayTool } from './say.ts'
import { searchTool } from './search.ts'
import { vibeTool } from './vibe.ts'
import { whoTool } from './who.ts'
import type { WorldParts } from './world.ts'

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
