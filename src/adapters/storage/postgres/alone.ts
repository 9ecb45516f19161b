import { Client } from 'pg'
import { StorageError } from '../../../chat/errors.ts'
import type { Log } from '../../../chat/ports.ts'
import { errorMessage } from '../../../lib/errors.ts'
import { toStorageError } from './errors.ts'

/** How long it is waited until a lock that was lost with its connection is asked for again, in milliseconds. */
const AGAIN_MS = 5_000

/** How long it is tried to get the connection, in milliseconds. */
const CONNECT_MS = 10_000

/** Any number will do, the same in every server; migrations have another. */
const LOCK = 0x5353_4841

const TAKEN =
  'another server uses the database in [storage] url; stop it first, since servers that share one do not hear each other yet'

/**
 * Keeps a database to one server: what is said in one would not be heard in another. The lock lives as long as its connection,
 * so it goes with a server that dies; where PostgreSQL restarts, it is taken again. Rejects with `StorageError`: `locked` if
 * another server has it.
 */
export async function keepAlone(url: string, log: Log): Promise<AsyncDisposable> {
  let client = await lockedClient(url)
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function watch(): void {
    client.on('error', (error) => {
      log.warn({ reason: errorMessage(error) }, 'the lock of the database was lost with its connection')
      retryLater()
    })
  }

  function retryLater(): void {
    if (!isClosed) timer = setTimeout(() => void retry(), AGAIN_MS).unref()
  }

  async function retry(): Promise<void> {
    try {
      const next = await lockedClient(url)
      if (isClosed) return await next.end()
      client = next
      watch()
    } catch (error) {
      log.error({ reason: errorMessage(error) }, 'the lock of the database could not be taken again')
      retryLater()
    }
  }

  watch()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      // A connection that is lost already has nothing to give back.
      await client.end().catch(() => undefined)
    },
  }
}

async function lockedClient(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'sshawl lock',
    keepAlive: true,
  })
  try {
    await client.connect()
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      LOCK,
    ])
    if (rows[0]?.taken) return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw toStorageError(error, { reading: false })
  }
  await client.end()
  throw new StorageError('locked', TAKEN)
}
