import type { Rate } from '../../../lib/token-bucket.ts'

/** Bytes of one message of a server. Reading one holds up the whole process: about 10 ms a MiB (JSON and checks, Node 20). */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** Bytes after which a message that is passed over has no end; its connection ends then. */
export const MAX_SKIPPED_BYTES = 64 * 1024 * 1024

/** Messages of one server: whoever sends more is read more slowly, and waits when its pipe is full. */
export const MESSAGE_RATE: Rate = { burst: 1_000, everyMs: 1 }

/** Tools of one server; further ones are left out. */
export const MAX_TOOLS = 1_000

/** Tools of one server whose definitions are kept; further ones are withheld. One that invents names gets no further. */
export const MAX_PINS = 2_000

/** Characters of a schema as JSON; a tool with a longer one is left out. */
export const MAX_SCHEMA_CHARS = 100_000

/** Pages in which a server may list its tools. */
export const MAX_PAGES = 100

/** Characters of a description, after which it is cut. */
export const MAX_DESCRIPTION_CHARS = 4_000

/** The times that a server has, in milliseconds. */
export interface McpTimes {
  /** To say hello, and again to list its tools. */
  readonly connectMs: number
  /** To answer the newest hello; then it is asked in the older way, in a connection of its own. */
  readonly discoverMs: number
  /** Until it is tried again for the first time; each failure doubles it, up to `maxRetryMs`. */
  readonly retryMs: number
  readonly maxRetryMs: number
  /** Between two looks at whether it still answers, while nobody calls it; and how long the answer may take. */
  readonly pingMs: number
  /** Between two readings of its list, however often it says that this has changed. */
  readonly relistMs: number
}

/** A connection that held for so many milliseconds makes up for failures before it. */
export const STEADY_MS = 60_000

export const USUAL_TIMES: McpTimes = {
  connectMs: 30_000,
  discoverMs: 10_000,
  retryMs: 1_000,
  maxRetryMs: 300_000,
  pingMs: 30_000,
  relistMs: 1_000,
}
