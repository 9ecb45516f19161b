import { errorCode, errorMessage } from '../../lib/errors.ts'
import { settledWithin } from '../../lib/jobs/settled-within.ts'

/** One connection to an engine, from when it works until it ends. Its methods neither throw nor wait. */
export interface Link {
  /** Of the longest message that goes through it. */
  readonly maxBytes: number
  /** What it has no room for is lost. */
  send(subject: string, message: Buffer): void
  /** Messages under this subject are wanted from now on. */
  want(subject: string): void
  /** They are not any more. */
  unwant(subject: string): void
  /** Resolves to the reason when it has ended. Never rejects. */
  readonly ended: Promise<string>
  /** Resolves when what was sent is gone, or after a second, and the connection with it. */
  close(): Promise<void>
}

/** What carries messages, which it need not understand, and how it is reached. */
export interface Engine {
  /** For people. */
  readonly name: string
  /** As far as it is known before there is a link. */
  readonly maxBytes: number
  /** `heard` gets every message under a subject that is wanted, and perhaps others. Rejects within some seconds where there is no way. */
  connect(heard: (subject: string, message: Buffer) => void): Promise<Link>
}

/** How long it is tried to connect, and how long an answer is waited for then, in milliseconds. */
export const CONNECT_MS = 5_000
export const ANSWER_MS = 5_000

/** So often a connection shows that it works, in milliseconds: a network that is cut tells nobody. */
export const HEARTBEAT_MS = 3_000

/** How long an end in order may take, in milliseconds. */
const CLOSE_MS = 1_000

/** Bytes that may be on their way to an engine. Whoever reads so slowly is not waited for. */
export const MAX_UNDER_WAY = 8 * 1024 * 1024

/** Resolves when the work is done, however it ends, or when that takes too long. */
export const inShortTime = (work: Promise<unknown>): Promise<void> => settledWithin(CLOSE_MS, [work])

/** Where several addresses failed, the error as a whole says nothing. */
export const whyNotReached = (error: unknown): string =>
  errorMessage(error) || (errorCode(error) ?? 'no reason was given')
