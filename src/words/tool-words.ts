export const TOOL_GROUPS = ['internal', 'builtin', 'module', 'wrapped', 'mcp'] as const
export type ToolGroup = (typeof TOOL_GROUPS)[number]

/** From weakest to strongest. All but `read` need permission before the tool runs. */
export const ACCESSES = ['read', 'write', 'execute', 'network'] as const
export type Access = (typeof ACCESSES)[number]

/** Who may allow a call, weakest first: its requester and ops, ops alone, or nobody. */
export const ALLOWERS = ['requester', 'ops', 'nobody'] as const
export type AllowRules = { readonly [access in Access]: (typeof ALLOWERS)[number] }

/** The only people who may allow a call of a tool with its own rule, even if the config allows others. */
export type Answerers = 'requester' | 'members' | 'ops' | 'admins'

/** The prefix of the ids of the rooms' tools; models and people omit it. */
export const ROOM_TOOL_PREFIX = 'sshawl_'

const SCOPE_WORDS: readonly string[] = ['all', 'none', 'on', 'off', ...TOOL_GROUPS]

/**
 * True for scope words and for ids with the prefix of the rooms' tools, both in upper or lower case, and for
 * names of properties that every JavaScript object has.
 */
export function isReservedToolId(id: string): boolean {
  const lower = id.toLowerCase()
  return SCOPE_WORDS.includes(lower) || lower.startsWith(ROOM_TOOL_PREFIX) || id in Object.prototype
}
