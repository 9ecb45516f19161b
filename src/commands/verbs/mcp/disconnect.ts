import { safeJson } from '../../../lib/safe-json.ts'
import { nameIn, type McpAction } from './action.ts'

/** `mcp disconnect`: a server that was connected by a command. */
export const disconnect: McpAction = async (servers, context) => {
  const name = nameIn(context)
  await servers.disconnect(name, context.person)
  context.out.line(
    context.flags.json
      ? safeJson({ name, state: 'gone' })
      : `${name} is disconnected, and its tools are gone`,
  )
}
