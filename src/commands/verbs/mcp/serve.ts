import { Refusal } from '../../../chat/errors.ts'
import type { McpAction } from './action.ts'

/** What an agent's config names as its server: `ssh host mcp serve`. Each joins with a key of their own. */
export const serve: McpAction = async (_servers, { script }) => {
  if (!script?.serveMcp) throw new Refusal('an agent runs it, and not a session: ssh HOST mcp serve')
  await script.serveMcp()
}
