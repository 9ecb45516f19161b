import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a browser wants to know before it sends what a page of another server asks for (https://fetch.spec.whatwg.org, CORS). */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  // Those that MCP uses, in all its revisions.
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id',
  'Access-Control-Max-Age': '600',
}

/** Lets a page read the answer, where there is one; the gate has let through those alone that the operator named. */
export function letPageRead({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin')
  if (origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate')
}

/** Whether a browser asks if it may send a request. It brings no token with that. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined

export const answerPreflight = (response: ServerResponse): void =>
  void response.writeHead(204, PREFLIGHT).end()
