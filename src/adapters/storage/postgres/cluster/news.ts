import { StorageError } from '../../../../chat/errors.ts'
import type { Log } from '../../../../chat/ports.ts'
import type { News, NewsTopic } from '../../../../cluster/ports.ts'
import type { ServerId } from '../../../../cluster/server-id.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import { createNewsReader, type NewsRow } from './news-reader.ts'
import { listenTo } from './listener.ts'

/** How often it is looked whether there is something, in milliseconds: a call to wake up may be lost. */
const LOOK_MS = 1_000

/** How long news are kept, and how often what is older is removed. Whoever was away for longer has lost its lease. */
const KEPT = '10 minutes'
const REMOVE_MS = 60_000

/** The table `news`, which triggers of the database write. */
export function createNews(
  connection: Connections,
  { url, self, log }: { readonly url: string; readonly self: ServerId; readonly log: Log },
): News {
  const reader = createNewsReader(connection)
  const listeners = new Map<NewsTopic, ((keys: readonly never[]) => Promise<void>)[]>()
  /** What was read and not yet taken in by everybody who asked for it. */
  let open: readonly NewsRow[] = []
  let looking: Promise<void> | undefined
  let isWanted = false
  let stop: (() => Promise<void>) | undefined

  function look(): void {
    isWanted = true
    looking ??= lookWhileWanted().finally(() => (looking = undefined))
  }

  async function lookWhileWanted(): Promise<void> {
    while (isWanted) {
      isWanted = false
      try {
        open = [...open, ...(await reader.read()).filter(({ server }) => server !== self)]
        await tell()
      } catch (error) {
        if (!(error instanceof StorageError)) log.error({ error }, 'news were not taken in')
        else log.warn({ error, reason: error.reason }, 'what other servers changed could not be read')
      }
    }
  }

  /** Each topic on its own, so that one that fails keeps nothing from the others. */
  async function tell(): Promise<void> {
    const rows = open
    const topics = [...new Set(rows.map(({ topic }) => topic))]
    const outcomes = await Promise.allSettled(topics.map((topic) => tellTopic(topic, rows)))
    open = rows.filter(({ topic }) => outcomes[topics.indexOf(topic)]?.status === 'rejected')
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function tellTopic(topic: NewsTopic, rows: readonly NewsRow[]): Promise<void> {
    const keys = [...new Set(rows.filter((row) => row.topic === topic).map(({ key }) => key))]
    for (const again of listeners.get(topic) ?? []) await again(keys as never[])
  }

  async function removeOld(): Promise<void> {
    try {
      await connection.transaction(async (tx) => {
        await tx.run(sql`DELETE FROM news WHERE at < now() - ${KEPT}::interval`)
        await tx.run(sql`DELETE FROM orders WHERE at < now() - ${KEPT}::interval`)
      })
    } catch (error) {
      log.warn({ error }, 'old news were not removed')
    }
  }

  return {
    on: (topic, again) => void listeners.set(topic, [...(listeners.get(topic) ?? []), again]),
    async begin() {
      await reader.begin()
      const stopListening = listenTo({ url, channel: 'sshawl_news', heard: look, log })
      const timers = [setInterval(look, LOOK_MS), setInterval(() => void removeOld(), REMOVE_MS)]
      for (const timer of timers) timer.unref()
      stop = async () => {
        for (const timer of timers) clearInterval(timer)
        await stopListening()
      }
      look()
    },
    async [Symbol.asyncDispose]() {
      await stop?.()
      stop = undefined
      await looking
    },
  }
}
