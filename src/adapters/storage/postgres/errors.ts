import { DatabaseError } from 'pg'
import { StorageError } from '../../../chat/errors.ts'
import { errorCode, errorMessage } from '../../../lib/errors.ts'

type Reason = StorageError['reason']

const UNREACHABLE = 'the database server cannot be reached; start it, or look at url in [storage]'
/** Of a standby, and where somebody set `default_transaction_read_only`. */
export const ONLY_READS = 'the database in [storage] url only reads; sshawl check says why, and what to do'
/** Insufficient privilege. */
const NO_RIGHT = '42501'
const RESTARTED = 'the database server is starting or stopping; try again in a moment'

/** What PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html) or the network reported, by the start of its code. */
const CAUSES: readonly (readonly [code: string, reason: Reason, advice: string])[] = [
  ['53100', 'full', "the database server's disk is full; free some space there and try again"],
  [
    '53300',
    'locked',
    'the database server has no connection left; try again, or raise max_connections or the CONNECTION LIMIT of the role',
  ],
  ['53', 'full', 'the database server has no memory or space left; free some there and try again'],
  ['40', 'locked', 'others changed the same at the same time; try again'],
  ['55P03', 'locked', 'somebody else holds what was to be changed; try again when they are done'],
  ['57014', 'locked', 'the database server took too long; try again when it has less to do'],
  ['25006', 'read-only', ONLY_READS],
  [NO_RIGHT, 'read-only', 'sshawl needs a database of its own, which the role in [storage] url owns'],
  ['28', 'other', 'the database server refused the user or the password; look at url in [storage]'],
  ['3D000', 'other', 'there is no such database; make it with createdb, or look at url in [storage]'],
  ['57P01', 'away', RESTARTED],
  ['57P02', 'away', RESTARTED],
  ['57P03', 'away', RESTARTED],
  ['25P03', 'other', 'the database server ended what took too long; nothing was stored, try again'],
  ['XX001', 'corrupt', 'the database is damaged; restore a dump of it with pg_restore'],
  ['XX002', 'corrupt', 'an index of the database is damaged; run REINDEX in it'],
  ['08', 'away', UNREACHABLE],
  ['ECONN', 'away', UNREACHABLE],
  ['EPIPE', 'away', UNREACHABLE],
  ['ETIMEDOUT', 'away', UNREACHABLE],
  ['EHOSTUNREACH', 'away', UNREACHABLE],
  ['ENETUNREACH', 'away', UNREACHABLE],
  ['EAI_AGAIN', 'away', UNREACHABLE],
  ['ENOENT', 'away', UNREACHABLE],
  ['ENOTFOUND', 'other', 'there is no such database server; look at url in [storage]'],
]

/** The driver gives these errors no code. */
const MESSAGES: readonly (readonly [text: RegExp, reason: Reason, advice: string])[] = [
  [
    /Connection terminated|connection error|not queryable|timeout exceeded when trying to connect/i,
    'away',
    UNREACHABLE,
  ],
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

/** The same trouble as a `StorageError`, with a sentence for people; one that is a `StorageError` already stays. */
export function toStorageError(error: unknown, { reading = false } = {}): StorageError {
  if (error instanceof StorageError) return error
  if (isBuried(error)) return new StorageError('taken-for-dead', BURIED, { cause: withoutRows(error) })
  const text = errorMessage(error)
  const code = codeOf(error)
  const [, reason, advice] =
    CAUSES.find(([start]) => code.startsWith(start)) ?? MESSAGES.find(([pattern]) => pattern.test(text)) ?? []
  const refused = `the database refused: ${text}`
  const forOperators = code === NO_RIGHT ? `${refused}; ${advice}` : (advice ?? refused)
  return new StorageError(reason ?? 'other', forPeople(forOperators, reason), {
    cause: withoutRows(error),
    reading,
    forOperators,
  })
}

/** Who speaks in a room has no config to look at, and no server to start. */
function forPeople(advice: string, reason?: Reason): string {
  if (!advice.includes('[storage]')) return advice.replace(/, or raise max_connections .*/, '')
  return reason === 'away' ? AWAY : UNFIT
}

const AWAY = 'the database is away just now; the server tries it again by itself, so try again in a moment'
const UNFIT = 'the database takes nothing just now; the log of the server says why, so tell an admin'

/** The row of this server is gone, which others remove, and what it has goes with it. */
const isBuried = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.code === '23503' &&
  (error.constraint ?? '').endsWith('_server_fkey')

const BURIED = 'the other servers had not heard of this one for a while; try again in a moment'

/** PostgreSQL quotes rows in the details of an error: what people said does not belong into the server's log. */
function withoutRows(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error
  return Object.assign(new Error(error.message), {
    code: error.code,
    table: error.table,
    constraint: error.constraint,
  })
}

/** Of several attempts to connect, to IPv6 and IPv4, the first one. */
const codeOf = (error: unknown): string =>
  errorCode(error) ?? (error instanceof AggregateError ? codeOf(error.errors[0]) : '')

/** True if the trouble is with this one change (a value, a constraint, a rule of ours), not with the database. */
export const concernsOneChange = (error: unknown): boolean =>
  error instanceof StorageError || /^(2[123]|54)/.test(codeOf(error))

/** True if the same work may be done when it is tried again at once: another transaction was in its way. */
export const isConflict = (error: unknown): boolean => /^(40001|40P01)$/.test(codeOf(error))

/** True if the connection is gone, and another may work. */
export const isDisconnected = (error: unknown): boolean =>
  /^(08|57P0|ECONNRESET|EPIPE)/.test(codeOf(error)) ||
  /Connection terminated|not queryable/i.test(errorMessage(error))
