import { Client } from 'pg'
import type { Log } from '../../../../chat/ports.ts'
import { errorMessage } from '../../../../lib/errors.ts'
import { saidOutright } from '../../../../lib/postgres-url.ts'

/** How long it is waited until a connection that ended is made again, in milliseconds. */
const AGAIN_MS = 1_000

/** How long it is tried to get one, in milliseconds. */
const CONNECT_MS = 10_000

/** What is listened to. */
export interface Listened {
  readonly url: string
  readonly channel: string
  /** Somebody notified the channel, or may have while nobody listened. Must not throw. */
  readonly heard: () => void
  readonly log: Pick<Log, 'warn'>
}

/**
 * Listens to a channel of the database over a connection of its own, which is made again where it ends. Returns the function that
 * ends it. Whoever comes through a pooler must reach the database itself: LISTEN belongs to a connection.
 */
export function listenTo({ url, channel, heard, log }: Listened): () => Promise<void> {
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  /** It was said that it ended, and it has not listened since. */
  let isSaid = false

  async function connect(): Promise<void> {
    const next = new Client({
      connectionString: saidOutright(url),
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'sshawl listener',
      keepAlive: true,
    })
    client = next
    next.on('notification', heard)
    next.on('error', (error) => failed(next, error))
    next.on('end', () => failed(next, undefined))
    try {
      await next.connect()
      await next.query(`LISTEN ${channel}`)
      isSaid = false
      heard()
    } catch (error) {
      failed(next, error)
    }
  }

  function failed(ended: Client, error: unknown): void {
    if (isClosed || client !== ended) return
    client = undefined
    if (error !== undefined && !isSaid) {
      isSaid = true
      log.warn(
        { reason: errorMessage(error) },
        'the connection that listens to the database ended; it is tried again',
      )
    }
    void ended.end().catch(() => undefined)
    timer = setTimeout(() => void connect(), AGAIN_MS).unref()
  }

  void connect()
  return async () => {
    isClosed = true
    clearTimeout(timer)
    // One that ended already has nothing to give back.
    await client?.end().catch(() => undefined)
  }
}
