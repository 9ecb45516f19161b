import { safeJson } from '../../../lib/safe-json.ts'
import { nameIn, type McpAction } from './action.ts'
import { mcpJson, mcpLine } from './list.ts'

/** `mcp refresh`: reads a server's list again, or tries it again at once. */
export const refresh: McpAction = async (servers, context) => {
  const { flags, out, session } = context
  const refreshed = servers
    .refresh(nameIn(context))
    .then((server) => out.line(flags.json ? safeJson(mcpJson(server)) : mcpLine(server)))
  if (!session) return await refreshed
  session.inBackground(refreshed)
}
