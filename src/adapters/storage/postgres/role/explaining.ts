import { Client, escapeIdentifier } from 'pg'
import { StorageError } from '../../../../chat/errors.ts'
import { errorCode } from '../../../../lib/errors.ts'
import { saidOutright } from '../../../../lib/postgres-url.ts'
import type { Migration } from '../../migrations.ts'
import type { Connections } from '../connection.ts'
import { lackOf } from './role.ts'
import type { Use } from './table-lacks.ts'

/** What was done with a database, and who with. */
interface Attempt {
  readonly url: string
  readonly connection: Connections
  readonly migrations: readonly Migration[]
  readonly use: Use
}

/** The work's value. Rejects with what the role lacks where that is why the work failed. */
export async function explaining<T>(work: Promise<T>, attempt: Attempt): Promise<T> {
  try {
    return await work
  } catch (trouble) {
    throw await explained(trouble, attempt)
  }
}

async function explained(trouble: unknown, attempt: Attempt): Promise<unknown> {
  if (!(trouble instanceof StorageError) || !MAY_LACK.has(trouble.reason)) return trouble
  try {
    return (await lackOf(attempt.connection, attempt.migrations, attempt.use)) ?? trouble
  } catch (error) {
    return isShutOut(error) ? shutOut(attempt.url, error) : trouble
  }
}

const MAY_LACK: ReadonlySet<string> = new Set<StorageError['reason']>(['read-only', 'other'])

/** The question asks for no right but to connect. */
const isShutOut = (error: unknown): boolean =>
  error instanceof StorageError && error.reason === 'read-only' && errorCode(error.cause) === '42501'

function shutOut(url: string, cause: unknown): StorageError {
  const { user = '', database = '' } = new Client({ connectionString: saidOutright(url) })
  const [role, name] = [user, database].map(escapeIdentifier)
  return new StorageError(
    'read-only',
    `the role ${role} may not connect to the database; run there: GRANT CONNECT ON DATABASE ${name} TO ${role}`,
    { cause },
  )
}
