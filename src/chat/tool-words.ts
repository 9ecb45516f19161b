/** Where tools come from, as scopes name it. */
export const TOOL_GROUPS = ['internal', 'builtin', 'module', 'wrapped', 'mcp'] as const
export type ToolGroup = (typeof TOOL_GROUPS)[number]

/** What a tool may do, weakest first. Everything but `read` is asked for before the tool runs. */
export const ACCESSES = ['read', 'write', 'execute', 'network'] as const
export type Access = (typeof ACCESSES)[number]

/** Begins the ids of the tools of the rooms; models and people call them without it. */
export const ROOM_TOOL_PREFIX = 'sshawl_'

/** Words with a meaning of their own where a scope names tools. */
const SCOPE_WORDS: readonly string[] = ['all', 'none', 'on', 'off', ...TOOL_GROUPS]

/**
 * True for an id that no tool from outside may have: it has another meaning in a scope, is kept for the tools of the rooms, or is
 * a property that every JavaScript object has. Case makes no difference.
 */
export function isReservedToolId(id: string): boolean {
  const lower = id.toLowerCase()
  return SCOPE_WORDS.includes(lower) || lower.startsWith(ROOM_TOOL_PREFIX) || id in Object.prototype
}
