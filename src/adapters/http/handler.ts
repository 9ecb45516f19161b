import type { Person } from '../../chat/people/person.ts'

/** To where a browser comes back from a login at another server. */
export const LOGIN_PATH = '/oauth/callback'

/** What the server does for whoever comes over HTTP. */
export interface HttpHandler {
  /**
   * Who comes with a bearer token from this address; undefined for nobody, in about the same time. Rejects with `StorageError`.
   */
  identify(token: string, address: string): Promise<Person | undefined>
  /** Why the server cannot serve now, in a few words that anybody may read; undefined if it can. Never rejects. */
  whyNotReady(): Promise<string | undefined>
  /** What Prometheus reads. */
  metrics(): Promise<{ readonly type: string; readonly text: string }>
  /** Whether this person may read that. */
  mayReadMetrics(person: Person): boolean
  /** One message of MCP, or a stream of them. Absent where the server speaks no MCP. Aborted, it ends what it answers. */
  mcp?(request: Request, person: Person): Promise<Response>
  /** A browser came back from a login with this in its address. Anybody can ask. Never rejects. */
  cameBack(answer: URLSearchParams): Promise<{ readonly status: number; readonly text: string }>
}

/** Slows addresses down from which wrong tokens come. */
export interface Visitors {
  /** A wrong token came from there. How long its answer has to wait, in ms. */
  failed(address: string): number
  /** What counts as one address: an IPv6 host can choose its own out of many. */
  networkOf(address: string): string
}
