import type { createMessageFetch } from './bounded-fetch.ts'

type Fetch = ReturnType<typeof createMessageFetch>

const SESSION = 'mcp-session-id'
const REVISION = 'mcp-protocol-version'

/**
 * As `fetch`, and if a server forgot its session, as after a restart, makes another one as the first was made, and asks
 * again. `renewed` is told, since the tools may be others now.
 */
export function createRenewingFetch(fetch: Fetch, renewed: () => void): Fetch {
  let greeting: string | undefined
  /** The SDK knows the first one only. */
  let session: string | undefined
  let renewing: Promise<boolean> | undefined

  function post(url: string | URL, headers: Headers, body: string): Promise<Response> {
    headers.set('content-type', 'application/json')
    headers.set('accept', 'application/json, text/event-stream')
    return fetch(url, { method: 'POST', headers, body })
  }

  /** False if the server makes no other one. `before` are the headers of a request in the old one. */
  async function renew(url: string | URL, before: Headers): Promise<boolean> {
    if (greeting === undefined) return false
    const headers = new Headers(before)
    headers.delete(SESSION)
    headers.delete(REVISION)
    headers.delete('last-event-id')
    const answer = await post(url, headers, greeting)
    await answer.text()
    const next = answer.headers.get(SESSION)
    if (!answer.ok || next === null) return false
    session = next
    headers.set(SESSION, next)
    const revision = before.get(REVISION)
    if (revision !== null) headers.set(REVISION, revision)
    const told = await post(url, headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
    await told.body?.cancel()
    renewed()
    return true
  }

  return async (url, init) => {
    const headers = new Headers(init?.headers)
    if (!headers.has(SESSION)) {
      const answer = await fetch(url, init)
      if (typeof init?.body !== 'string' || !GREETS.test(init.body)) return answer
      greeting = init.body
      session = answer.headers.get(SESSION) ?? undefined
      return answer
    }
    const used = session
    const inSession = (): RequestInit => {
      if (session !== undefined) headers.set(SESSION, session)
      return { ...init, headers }
    }
    const answer = await fetch(url, inSession())
    // Many a server answers a GET with 404 because it has no stream of events.
    if (init?.method !== 'POST' || !(await isForgotten(answer))) return answer
    renewing ??= used === session ? renew(url, headers).finally(() => (renewing = undefined)) : undefined
    return (await renewing) === false ? answer : await fetch(url, inSession())
  }
}

/** As the SDK writes it. */
const GREETS = /^\{"method":"initialize",/

/** 404 by the protocol; 400 with a word about it by many servers. */
async function isForgotten(answer: Response): Promise<boolean> {
  if (answer.status !== 400) return answer.status === 404
  return /session/i.test(await answer.clone().text())
}
