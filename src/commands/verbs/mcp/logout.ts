import { safeJson } from '../../../lib/safe-json.ts'
import { nameIn, type McpAction } from './action.ts'

/** `mcp logout`: forgets a login, and asks for its tokens to hold no more. */
export const logout: McpAction = async (servers, context) => {
  const name = nameIn(context)
  const why = await servers.logout(name, context.person)
  context.out.line(
    context.flags.json
      ? safeJson({ name, revoked: why === undefined, why: why ?? null })
      : `the login at ${name} is forgotten${why === undefined ? ', and its tokens hold no more' : `; ${why}`}`,
  )
}
