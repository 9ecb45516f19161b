import type { Log } from '../base/environment.ts'

/** Something the caller may not or cannot do, in a sentence that says what to do instead. Exit status 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/**
 * An unknown key was not admitted. `no-code`: it needs an invite code; `wrong-code`: its code admits nobody;
 * `no-name`: it cannot have the name; `later`: it is admitted once the client has no certificate to offer.
 */
export class InviteRefusal extends Refusal {
  readonly reason: 'no-code' | 'wrong-code' | 'no-name' | 'later'
  constructor(reason: InviteRefusal['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

export class NameRefusal extends Refusal {}

/** For `catch`: returns undefined for a `Refusal`. Throws any other error. */
export function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}

/** For `catch`: returns undefined for a `StorageError`. Throws any other error. */
export function ignoreStorageError(error: unknown): undefined {
  if (!(error instanceof StorageError)) throw error
}

/** A command has wrong arguments. `usage` is the right form; exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly usage: string | undefined
  constructor(message: string, usage?: string) {
    super(message)
    this.usage = usage
  }
}

/** The store did nothing. `away`: it cannot be reached; `taken-for-dead`: other servers expired this one. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly reason: 'full' | 'locked' | 'read-only' | 'away' | 'taken-for-dead' | 'corrupt' | 'newer' | 'other'
  readonly reading: boolean
  /** The message for admins and the log, with what operators can do. */
  readonly forOperators: string
  constructor(reason: StorageError['reason'], message: string, options: StorageErrorOptions = {}) {
    super(message, options)
    this.reason = reason
    this.reading = options.reading ?? false
    this.forOperators = options.forOperators ?? message
  }
}

interface StorageErrorOptions extends ErrorOptions {
  readonly reading?: boolean
  readonly forOperators?: string
}

/** For `catch`: logs a `StorageError` and returns undefined. Throws any other error. */
export const warnOfStorage =
  (log: Pick<Log, 'warn'>, text: string, facts: object = {}) =>
  (error: unknown): undefined => {
    if (!(error instanceof StorageError)) throw error
    log.warn({ ...facts, error, reason: error.reason }, text)
  }

export const SERVER_STOPPING = new DOMException('the server is stopping', 'AbortError')

/** The abort reason of a command whose person cancelled it and is still connected. */
export const CALL_CANCELLED = new DOMException('the call was cancelled', 'AbortError')

export const whyAborted = ({ reason }: AbortSignal, gone: string): string =>
  reason === SERVER_STOPPING || reason === CALL_CANCELLED ? reason.message : gone

/** Shown to people for a failure that only the operator, who has the log, can fix. */
export const APOLOGY = 'something went wrong on the server; it was logged'

/** The message is for the model. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}
