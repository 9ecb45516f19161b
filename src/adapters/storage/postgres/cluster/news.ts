import { StorageError } from '../../../../chat/errors.ts'
import type { Log } from '../../../../chat/ports.ts'
import type { News, NewsTopic, ServerId } from '../../../../cluster/stores.ts'
import { createDeferred } from '../../../../lib/deferred.ts'
import type { Connections } from '../connection.ts'
import { createNewsReader, type NewsRow } from './news-reader.ts'
import { listenTo } from './listener.ts'
import { createOldNews, LOOK_MS as REMOVE_MS } from './old-news.ts'

/** How often it is looked whether there is something, in milliseconds: a call to wake up may be lost. */
const LOOK_MS = 1_000

/** News that were read longer ago are not those of now, in milliseconds: each look takes some time. */
const STALE_MS = 1_500
/** A failure that comes sooner is of a connection that had ended before. */
const AT_ONCE_MS = 2_000

/** What decides who may do what. Nobody waits for the other topics before they speak. */
const DECISIONS: ReadonlySet<NewsTopic> = new Set(['orders', 'sanctions', 'closings', 'people', 'lost'])

/** One look at the news, and why not all decisions were known after it. */
interface Look {
  readonly began: number
  readonly trouble: StorageError | undefined
}

/** The table `news`, which triggers of the database write. */
export function createNews(
  connection: Connections,
  { url, self, log }: { readonly url: string; readonly self: ServerId; readonly log: Log },
): News {
  const reader = createNewsReader(connection)
  const removeOldNews = createOldNews(connection)
  const listeners = new Map<NewsTopic, ((keys: readonly never[]) => Promise<void>)[]>()
  /** What was read and not yet taken in by everybody who asked for it. */
  let open: readonly NewsRow[] = []
  let looking: Promise<void> | undefined
  const telling = new Map<NewsTopic, Promise<unknown>>()
  let isWanted = false
  let stop: (() => Promise<void>) | undefined
  /** When the last look began after which all decisions were known, by a clock that never goes back. */
  let knownAt = -Infinity
  let nextLook = createDeferred<Look>()

  function look(): void {
    isWanted = true
    looking ??= lookWhileWanted().finally(() => (looking = undefined))
  }

  async function lookWhileWanted(): Promise<void> {
    while (isWanted) {
      isWanted = false
      const began = performance.now()
      const trouble = await lookOnce()
      if (!trouble) knownAt = began
      nextLook.resolve({ began, trouble })
      nextLook = createDeferred()
    }
  }

  /** Resolves to why not all decisions are known. */
  async function lookOnce(): Promise<StorageError | undefined> {
    try {
      open = [...open, ...(await readOnce())]
    } catch (error) {
      return logged(error)
    }
    const topics = [...new Set(open.map(({ topic }) => topic))].filter((topic) => !telling.has(topic))
    const told = topics.map((topic) => [topic, begin(topic)] as const)
    const decided = told.filter(([topic]) => DECISIONS.has(topic))
    const troubles = await Promise.all(decided.map(([, done]) => done))
    return troubles.find((trouble) => trouble !== undefined)
  }

  /** What others have told since. */
  async function readOnce(): Promise<readonly NewsRow[]> {
    const { rows, areSomeLost } = await reader.read()
    const theirs = rows.filter(({ server }) => server !== self)
    if (!areSomeLost) return theirs
    log.warn({}, 'news of other servers were removed before this one read them: it reads everything again')
    return [...theirs, { id: 0, server: self, topic: 'lost', key: '' }]
  }

  /** Each topic on its own, so that one that fails, or takes long, keeps nothing from the others. */
  function begin(topic: NewsTopic): Promise<StorageError | undefined> {
    const told = tell(topic).finally(() => telling.delete(topic))
    telling.set(topic, told)
    return told
  }

  async function tell(topic: NewsTopic): Promise<StorageError | undefined> {
    const rows = new Set(open.filter((row) => row.topic === topic))
    const keys = [...new Set([...rows].map(({ key }) => key))]
    try {
      for (const again of listeners.get(topic) ?? []) await again(keys as never[])
    } catch (error) {
      return logged(error)
    }
    open = open.filter((row) => !rows.has(row))
    // Others of this topic may have been read meanwhile.
    if (stop && open.some((row) => row.topic === topic)) look()
    return undefined
  }

  function logged(error: unknown): StorageError | undefined {
    if (error instanceof StorageError) {
      log.warn({ error, reason: error.reason }, 'what other servers changed could not be read')
      return error
    }
    log.error({ error }, 'news were not taken in')
    return undefined
  }

  async function catchUp(): Promise<void> {
    const asked = performance.now()
    while (isStale()) {
      look()
      const { began, trouble } = await nextLook.promise
      // One that began before may have lost its connection while the server stood still, and says so at once.
      const isOld = began < asked && !(trouble && performance.now() - asked > AT_ONCE_MS)
      if (isOld) continue
      if (trouble) throw trouble
      // However long it took: with a slow database every look is stale when it ends.
      return
    }
  }

  const isStale = (): boolean => performance.now() - knownAt > STALE_MS

  async function removeOld(): Promise<void> {
    try {
      await removeOldNews()
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
    caughtUp: () => (isStale() ? catchUp() : undefined),
    async [Symbol.asyncDispose]() {
      await stop?.()
      stop = undefined
      await looking
      await Promise.all(telling.values())
    },
  }
}
