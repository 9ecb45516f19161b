// The tool group `internal`, for rooms and people: acts for the requester and sees only what they see.
import { ROOM_TOOL_PREFIX } from '../../words/tool-words.ts'
import type { Tool } from '../../tools/index.ts'
import { createRoomTool, forkRoomTool, goTool, joinTool, leaveTool } from './moving.ts'
import { exitsTool, historyTool, lookTool, listRoomsTool, searchTool, whoTool } from './reading.ts'
import { rememberTool } from './remembering.ts'
import { remindTool } from './reminding.ts'
import { noteTool, sayTool, vibeTool } from './writing.ts'
import type { RoomToolParts } from './shared.ts'

export type { Reminders, RoomToolParts } from './shared.ts'

const TOOLS: Readonly<Record<string, (parts: RoomToolParts) => Tool>> = {
  sshawl_look: lookTool,
  sshawl_who: whoTool,
  sshawl_rooms: listRoomsTool,
  sshawl_history: historyTool,
  sshawl_search: searchTool,
  sshawl_say: sayTool,
  sshawl_vibe: vibeTool,
  sshawl_exits: exitsTool,
  sshawl_go: goTool,
  sshawl_join: joinTool,
  sshawl_leave: leaveTool,
  sshawl_create: createRoomTool,
  sshawl_fork: forkRoomTool,
  sshawl_note: noteTool,
  sshawl_remind: remindTool,
  sshawl_remember: rememberTool,
}

export const ROOM_TOOL_IDS: readonly string[] = Object.keys(TOOLS)

/** The names by which models call them. */
export const ROOM_TOOL_NAMES: readonly string[] = ROOM_TOOL_IDS.map((id) => id.slice(ROOM_TOOL_PREFIX.length))

export const roomTools = (parts: RoomToolParts): readonly Tool[] =>
  Object.values(TOOLS).map((create) => create(parts))
