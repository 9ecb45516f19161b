import type { Log } from './ports.ts'

/**
 * Something the caller may not or cannot do, in a sentence that says what to do instead.
 * The edge prints it; exit status 1.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/**
 * A key that nobody has yet did not come in. `no-code`: it would with an invite code; `wrong-code`: the code that it brought
 * lets nobody in; `no-name`: its code is right, and the message says why it cannot have the name; `later`: it comes in without
 * a code, once the client has shown that no certificate is for it.
 */
export class InviteRefusal extends Refusal {
  readonly reason: 'no-code' | 'wrong-code' | 'no-name' | 'later'
  constructor(reason: InviteRefusal['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** A key may come in, but not under this name: its owner may read why. */
export class NameRefusal extends Refusal {}

/** The words of a command do not fit it. `usage` is the right form, where there is one; exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly usage: string | undefined
  constructor(message: string, usage?: string) {
    super(message)
    this.usage = usage
  }
}

/**
 * The store could not do it, and did nothing. `reason` names the cause for the log: `away` where the store cannot be reached just
 * now, `taken-for-dead` where the others that share it have buried this server.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly reason: 'full' | 'locked' | 'read-only' | 'away' | 'taken-for-dead' | 'corrupt' | 'newer' | 'other'
  /** True where something was to be read, not stored. */
  readonly reading: boolean
  /** The message with what those can do who run the server, for them, admins and the log. */
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
  /** Absent where the message does for them, too. */
  readonly forOperators?: string
}

/**
 * For `catch`, if work can go on without the store: logs a `StorageError` and gives undefined. Throws any other error.
 */
export const warnOfStorage =
  (log: Pick<Log, 'warn'>, text: string, facts: object = {}) =>
  (error: unknown): undefined => {
    if (!(error instanceof StorageError)) throw error
    log.warn({ ...facts, error, reason: error.reason }, text)
  }

/** With this reason a command is aborted where not its person has gone, but the server stops. */
export const SERVER_STOPPING = new DOMException('the server is stopping', 'AbortError')

/** With this reason a command is aborted where its person is still there, and does not want it any more. */
export const CALL_CANCELLED = new DOMException('the call was cancelled', 'AbortError')

/** Why a command was aborted: with the reason, where there is one to tell, or because its person has gone. */
export const whyAborted = ({ reason }: AbortSignal, gone: string): string =>
  reason === SERVER_STOPPING || reason === CALL_CANCELLED ? reason.message : gone

/** What people read when something failed and only the operator, who has the log, can do something about it. */
export const APOLOGY = 'something went wrong on the server; it was logged'
