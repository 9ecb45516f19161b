/**
 * The rooms and the people in them as tools for models, one a file. They act for the requester, through
 * `Rooms`, and know no store but that of rooms.
 */
import { ROOM_TOOL_PREFIX } from '../../chat/tool-words.ts'
import type { Tool } from '../tool.ts'
import { createRoomTool, forkRoomTool, goTool, joinTool, leaveTool } from './moving.ts'
import { exitsTool, historyTool, lookTool, listRoomsTool, searchTool, whoTool } from './reading.ts'
import { noteTool, sayTool, vibeTool } from './writing.ts'
import type { RoomToolParts } from './shared.ts'

/** Ids of these tools, in their order. */
export const ROOM_TOOL_IDS: readonly string[] = [
  ...['sshawl_look', 'sshawl_who', 'sshawl_rooms', 'sshawl_history', 'sshawl_search', 'sshawl_say'],
  ...['sshawl_vibe', 'sshawl_exits', 'sshawl_go', 'sshawl_join', 'sshawl_leave', 'sshawl_create'],
  ...['sshawl_fork', 'sshawl_note'],
]

/** What they are called by. */
export const ROOM_TOOL_NAMES: readonly string[] = ROOM_TOOL_IDS.map((id) => id.slice(ROOM_TOOL_PREFIX.length))

/** The group `internal`. These tools see what the requester may see. */
export const roomTools = (parts: RoomToolParts): readonly Tool[] => [
  lookTool(parts),
  whoTool(parts),
  listRoomsTool(parts),
  historyTool(parts),
  searchTool(parts),
  sayTool(parts),
  vibeTool(parts),
  exitsTool(parts),
  goTool(parts),
  joinTool(parts),
  leaveTool(parts),
  createRoomTool(parts),
  forkRoomTool(parts),
  noteTool(parts),
]
