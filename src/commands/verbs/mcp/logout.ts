import { safeJson } from '../../../lib/safe-json.ts'
import { nameIn, type McpAction } from './action.ts'
import type { EndedLogin } from './ports.ts'

/** `mcp logout`: forgets a login, and asks for its tokens to hold no more. */
export const logout: McpAction = async (servers, context) => {
  const name = nameIn(context)
  const ended = await servers.logout(name, context.person)
  const { was, why } = ended
  context.out.line(
    context.flags.json
      ? safeJson({ name, was, revoked: was === 'held' && why === undefined, why: why ?? null })
      : told(name, ended),
  )
}

function told(name: string, { was, why }: EndedLogin): string {
  if (was === 'begun') return `nobody was logged in at ${name}; the login that was begun there is ended`
  return `the login at ${name} is forgotten${why === undefined ? ', and its tokens hold no more' : `; ${why}`}`
}
