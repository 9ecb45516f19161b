/** A connection to NATS or PostgreSQL. Its methods neither throw nor wait. */
export interface Connection {
  /** Limit of a text's UTF-8 bytes. */
  readonly maxBytes: number
  /** Drops a text that is too long, or if 8 MiB are unsent. */
  send(subject: string, text: string): void
  subscribe(subject: string): void
  unsubscribe(subject: string): void
  /** Resolves to the reason once the connection has ended. Never rejects. */
  readonly ended: Promise<string>
  /** Resolves when sent texts are delivered and the connection is closed, after at most 2 s. */
  close(): Promise<void>
}

export interface Engine {
  /** Shown to people. */
  readonly name: string
  /** The limit while disconnected. */
  readonly maxBytes: number
  /** Passes subscribed texts, and perhaps others, to `received`. Rejects within seconds. */
  connect(received: (subject: string, text: string) => void): Promise<Connection>
}

/** Time limit in ms for connecting, and for each answer. */
export const ANSWER_MS = 5_000
/** Interval of checks in ms, because a network failure closes no connection. */
export const HEARTBEAT_MS = 3_000
/** Limit of bytes that wait for a slow engine. */
export const MAX_UNDER_WAY = 8 * 1024 * 1024
