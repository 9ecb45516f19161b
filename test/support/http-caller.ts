import { rawHttp } from './raw-http.ts'
import type { AnyServer } from './server.ts'
import type { Stage } from './stage.ts'

/** The proxy that `HTTP_CONFIG` names. */
export const PROXIES = 'proxies = ["127.0.0.1"]'

/** A server whose limits a test reaches soon, with a host, a page and a proxy that the operator named. */
export const HTTP_CONFIG = `
[http]
hosts = ["chat.example.org"]
origins = ["https://page.example.org"]
${PROXIES}
[limits]
http_body_bytes = 2000
http_request_s = 1
connections_per_address = 12
`

export const withBearer = (bearer: string, more: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${bearer}`,
  ...more,
})

/** What calls the server that a stage has now. */
export function createHttpCaller(stage: () => Stage<AnyServer>) {
  const base = (): string => stage().server.http
  return {
    base,
    token: async (name: string, ...flags: readonly string[]): Promise<string> =>
      (await stage().as(name, ['token', 'new', ...flags])).stdout.trim(),
    get: (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      fetch(`${base()}${path}`, { method, headers }),
    /** One request as bytes; what follows the request line is given. */
    async answerTo(...lines: readonly string[]) {
      using raw = await rawHttp(base())
      raw.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
      return await raw.closed()
    },
  }
}
