import { DatabaseError } from 'pg'
import { StorageError } from '../../words/errors.ts'
import { errorCode, errorMessage } from '../../base/errors.ts'

type StorageErrorReason = StorageError['reason']

const UNREACHABLE = 'the database server cannot be reached; start it, or look at url in [storage]'
/** For a standby, and for a database with `default_transaction_read_only`. */
export const ONLY_READS = 'the database in [storage] url only reads; sshawl check says why, and what to do'

/**
 * Patterns of `CODE MESSAGE` from the network, the driver (which has no codes) or PostgreSQL
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). Other errors show PostgreSQL's message.
 */
const CAUSES: readonly (readonly [error: RegExp, reason: StorageErrorReason, advice: string])[] = [
  [/^53100/, 'full', "the database server's disk is full; free some space there and try again"],
  [/^53300/, 'locked', 'the database server has no connection left; try again'],
  [/^40/, 'locked', 'another change of the same data was in the way; try again'],
  [/^55P03/, 'locked', 'another change has locked the same data; try again when it is done'],
  [/^57014/, 'locked', 'the database server took too long; try again when it has less to do'],
  [/^25006/, 'read-only', ONLY_READS],
  [/^28/, 'other', 'the database server refused the user or the password; look at url in [storage]'],
  [/^3D000/, 'other', 'there is no such database; make it with createdb, or look at url in [storage]'],
  [/^XX00/, 'corrupt', 'the database is damaged; restore a dump of it with pg_restore'],
  [
    /^(08|57P0|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT|ENOTFOUND)/,
    'away',
    UNREACHABLE,
  ],
  [/Connection terminated|connection error|not queryable|timeout exceeded when trying/i, 'away', UNREACHABLE],
  [
    /Query read timeout/,
    'away',
    'the database server does not answer; look whether it was stored, and try again',
  ],
  [
    /does not support SSL/,
    'other',
    'the database server takes no encrypted connections; change sslmode in [storage] url',
  ],
  [/password/i, 'other', 'the database server wants a password; put it into url in [storage]'],
]

const NEEDS_OWN = 'sshawl needs a database of its own, which the role in [storage] url owns'
const EXPIRED = 'this server could not renew its lease for too long; try again in a moment'
const AWAY = 'the database cannot be reached just now; the server keeps trying, so try again in a moment'
const UNFIT = 'the database takes nothing just now; the log of the server says why, so tell an admin'

/** Wraps an error in a `StorageError` with a sentence for people. Returns a `StorageError` unchanged. */
export function toStorageError(error: unknown, { reading = false } = {}): StorageError {
  if (error instanceof StorageError) return error
  const cause = withoutRows(error)
  if (isExpired(error)) return new StorageError('taken-for-dead', EXPIRED, { cause })
  const code = codeOf(error)
  const text = errorMessage(error)
  const refused = `the database refused: ${text}`
  const [, reason, forOperators] =
    code === '42501'
      ? ([code, 'read-only', `${refused}; ${NEEDS_OWN}`] as const)
      : (CAUSES.find(([pattern]) => pattern.test(`${code} ${text}`)) ?? ([code, 'other', refused] as const))
  // People in a room have no config to look at, and no server to start.
  const isForOperators = forOperators.includes('[storage]')
  const message = isForOperators ? (reason === 'away' ? AWAY : UNFIT) : forOperators
  return new StorageError(reason, message, { cause, reading, forOperators })
}

/** True if another server removed this server's row, so that PostgreSQL rejects references to it. */
const isExpired = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.code === '23503' &&
  (error.constraint ?? '').endsWith('_server_fkey')

/** PostgreSQL quotes rows in the details of an error, and people's messages must not get into the log. */
function withoutRows(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  const { message, code, table, constraint } = error
  return Object.assign(new Error(message), { code, table, constraint })
}

/** Returns the error's code; of several attempts to connect, over IPv6 and IPv4, the first one's. */
const codeOf = (error: unknown): string =>
  errorCode(error) ?? (error instanceof AggregateError ? codeOf(error.errors[0]) : '')

/** True if the database works but rejected this change (a value, a constraint, a rule of ours). */
export const isRejectedChange = (error: unknown): boolean =>
  error instanceof StorageError || /^(2[123]|54)/.test(codeOf(error))

/** True if an immediate retry may succeed: another transaction was in the way. */
export const isConflict = (error: unknown): boolean => /^(40001|40P01)$/.test(codeOf(error))

/** True if the connection is lost, and another one may work. */
export const isDisconnected = (error: unknown): boolean =>
  /^(08|57P0|ECONNRESET|EPIPE)/.test(codeOf(error)) ||
  /Connection terminated|not queryable/i.test(errorMessage(error))
