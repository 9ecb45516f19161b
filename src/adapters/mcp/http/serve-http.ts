import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Person } from '../../../chat/people/person.ts'
import { isTooDeep, MAX_JSON_DEPTH } from '../../../lib/clean-json.ts'
import { parseJson, type Json } from '../../../lib/json.ts'
import type { McpHttpParts } from './ports.ts'
import { openModern } from './modern-session.ts'
import { openSession } from './legacy-session.ts'
import { createSessions } from './sessions.ts'
import { failed } from './failed.ts'
import { methodOf } from './method.ts'

/** What serves MCP over HTTP. */
export interface McpHttp extends AsyncDisposable {
  /** Answers a request of somebody who came with a token. Its signal is aborted once the answer is over. */
  fetch(request: Request, person: Person): Promise<Response>
  /** Sessions that are open. */
  sessions(): number
  /** Ends each session once the calls that it has now are answered. No request may come after it. */
  drain(): void
}

export function createMcpHttp(parts: McpHttpParts): McpHttp {
  const sessions = createSessions(parts.limits, parts.clock)
  return {
    sessions: sessions.count,
    drain: sessions.drain,
    async fetch(request, person) {
      const body = await bodyOf(request)
      if (body instanceof Response) return body
      if (!(await isLegacyRequest(request, body))) {
        const shared = await sessions.shared(person, () => openModern(person, parts))
        return await sessions.use(shared, request, body)
      }
      const id = request.headers.get('mcp-session-id')
      if (id !== null) {
        const session = sessions.find(id, person)
        return session
          ? await sessions.use(session, request, body)
          : failed(404, 'there is no such session; initialize a new one')
      }
      if (methodOf(body) !== 'initialize')
        return failed(
          400,
          'a session begins with initialize, and each later request names it in Mcp-Session-Id',
        )
      const session = await openSession(person, parts)
      sessions.add(session)
      const response = await sessions.use(session, request, body)
      // Nobody else knows the name of a session whose client went away before it was told.
      if (!response.ok || request.signal.aborted) await sessions.end(session)
      return response
    },
    [Symbol.asyncDispose]: () => sessions.endAll(),
  }
}

/** The message in a request; undefined for none, and where it is no JSON, which the SDK answers. */
async function bodyOf(request: Request): Promise<Json | undefined | Response> {
  if (request.method !== 'POST') return undefined
  let body: Json
  try {
    body = parseJson(await request.clone().text())
  } catch {
    return failed(400, 'the body must be one message in JSON', -32_700)
  }
  if (Array.isArray(body)) return failed(400, 'send each message by itself: MCP has no batches', -32_600)
  if (isTooDeep(body))
    return failed(400, `a message is nested at most ${MAX_JSON_DEPTH} levels deep`, -32_600)
  return body
}
