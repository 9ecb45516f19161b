import type { RoomName } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { Alarm, Clock, Log } from '../chat/ports.ts'
import { createDeferred, type Deferred } from '../lib/deferred.ts'
import type { JsonObject } from '../lib/json.ts'
import type { Orders } from './orders.ts'
import type { ClusterStores } from './ports.ts'
import type { SlotLimits, Taken, WorkItem, WorkRow } from './work-ports.ts'
import { createRoomWatchers } from './room-watchers.ts'
import { createTeller } from './teller.ts'

/** What this server is told of its own work. */
export interface WorkHooks {
  /** Somebody stops it from another server. */
  readonly stop: (reason: string) => void
  /** Others may have taken this server for dead, and given its slot away. */
  readonly lost: () => void
}

/** A slot in a queue that this server has. */
export interface WorkSlot {
  /** Resolves when it may begin, or when it does not wait any more. */
  readonly ready: Promise<void>
  /** It waits no longer; does nothing if it has begun. */
  giveUp(): void
  /** It has ended. Resolves once others can have the slot, or it is tried again later. Never rejects. */
  leave(): Promise<void>
  /** Others read it within a second or two. */
  tell(doing: JsonObject): void
}

/** Something at work on another server. */
export interface WorkElsewhere extends WorkRow {
  /** Milliseconds since the epoch, by the clock of this server. */
  readonly startedAt: number
  /** Resolves when it has ended. */
  ended(): Promise<void>
  /** Ends it soon, with this reason. */
  stop(reason: string): void
}

/** What is at work on all servers. */
export interface SharedWork {
  /** Rejects with `StorageError`. Resolves to how many there are where the queue is full. */
  take(work: WorkItem, limits: () => SlotLimits, hooks: WorkHooks): Promise<WorkSlot | SlotLimits>
  /** What other servers have, in the order in which it was asked for. */
  elsewhere(kind: WorkItem['kind'], room?: RoomName): readonly WorkElsewhere[]
  /** From now on `changed` is called after something has changed in a room. Returns the function that ends it. */
  watch(room: RoomName, changed: () => void): () => void
  /** Has whoever does this end it soon. Rejects with `StorageError`. */
  stop(id: string, reason: string): Promise<void>
  /** Reads what there is, in place of what was known. Rejects with `StorageError`. */
  readAll(): Promise<void>
  /** Reads what there is, and follows that. Rejects with `StorageError`. */
  begin(): Promise<void>
  /** This server may have been taken for dead: it has no slot any more. */
  loseAll(): void
  /** The server stops: its slots end with its lease. */
  end(): void
}

/** What it is made of. */
export interface SharedWorkParts extends Pick<ClusterStores, 'server' | 'work' | 'news'> {
  readonly orders: Orders
  readonly clock: Clock & Alarm
  readonly log: Log
}

/** A slot that could not be given back is given back a little later, in milliseconds. */
const AGAIN_MS = 1_000

interface Own {
  readonly work: WorkItem
  readonly limits: () => SlotLimits
  readonly hooks: WorkHooks
  readonly ready: Deferred<void>
  isReady: boolean
}

interface Seen {
  readonly shown: WorkElsewhere
  readonly over: Deferred<void>
}

export function createSharedWork(parts: SharedWorkParts): SharedWork {
  const { server, work: store, news, orders, clock, log } = parts
  const own = new Map<string, Own>()
  const others = new Map<string, Seen>()
  const watchers = createRoomWatchers()
  let isOver = false

  async function readAgain(ids: readonly string[]): Promise<void> {
    const rows = new Map((await store.read(ids)).map((row) => [row.id, row]))
    for (const id of ids) take(id, rows.get(id))
    // The slot of a server that died is given to nobody by that server.
    if (ids.some((id) => !rows.has(id))) await fillLines()
  }

  async function readAll(): Promise<void> {
    const rows = new Map((await store.read()).map((row) => [row.id, row]))
    for (const id of new Set([...rows.keys(), ...others.keys()])) take(id, rows.get(id))
  }

  function take(id: string, row: WorkRow | undefined): void {
    const mine = own.get(id)
    if (mine && row && !row.waits) begin(mine)
    if (row?.server === server) return
    const before = others.get(id)
    const room = row?.room ?? before?.shown.room
    if (row) others.set(id, seen(row, before))
    else others.delete(id)
    if (!row) before?.over.resolve()
    if (room !== undefined) watchers.tell(room)
  }

  function seen(row: WorkRow, before: Seen | undefined): Seen {
    const over = before?.over ?? createDeferred<void>()
    const shown: WorkElsewhere = {
      ...row,
      startedAt: before?.shown.startedAt ?? clock.now() - row.ageMs,
      ended: () => over.promise,
      stop: (reason) => void giveOrder(row.id, reason),
    }
    return { shown, over }
  }

  async function fillLines(): Promise<void> {
    const waiting = [...own.values()].filter(({ isReady }) => !isReady)
    const queues = new Map(waiting.map(({ work: { queue }, limits }) => [queue, limits]))
    for (const [queue, limits] of queues) await store.fill(queue, limits())
  }

  async function giveOrder(id: string, reason: string): Promise<void> {
    try {
      await orders.give('stop', { id, reason })
    } catch (error) {
      log.error({ error, id }, 'what is at work on another server could not be stopped')
    }
  }

  async function leave({ work, limits }: Own): Promise<void> {
    if (isOver) return
    try {
      await store.leave(work, limits())
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason, id: work.id }, 'a slot could not be given back yet')
      clock.later(AGAIN_MS, () => void leave({ work, limits } as Own))
    }
  }

  async function placeFor(mine: Own): Promise<Taken> {
    own.set(mine.work.id, mine)
    try {
      const taken = await store.take(mine.work, mine.limits())
      if (!taken.taken) own.delete(mine.work.id)
      return taken
    } catch (error) {
      own.delete(mine.work.id)
      // Nobody knows whether it was stored.
      void leave(mine)
      throw error
    }
  }

  return {
    async take(work, limits, hooks) {
      const mine: Own = { work, limits, hooks, ready: createDeferred(), isReady: false }
      const taken = await placeFor(mine)
      if (!taken.taken) return { running: taken.running, waiting: taken.waiting }
      if (!taken.waits) begin(mine)
      const tell = createTeller((doing) => store.tell(work.id, doing), clock, log)
      return {
        ready: mine.ready.promise,
        giveUp: () => begin(mine),
        async leave() {
          if (own.delete(work.id)) await leave(mine)
        },
        tell: (doing) => {
          if (own.has(work.id)) tell(doing)
        },
      }
    },
    elsewhere: (kind, room) =>
      [...others.values()].flatMap(({ shown }) =>
        shown.kind === kind && (room === undefined || shown.room === room) ? [shown] : [],
      ),
    watch: watchers.watch,
    stop: (id, reason) => orders.give('stop', { id, reason }),
    async begin() {
      news.on('work', readAgain)
      orders.on('stop', async ({ id, reason }) => own.get(id)?.hooks.stop(reason))
      await readAll()
    },
    readAll,
    loseAll() {
      for (const { hooks } of own.values()) hooks.lost()
    },
    end() {
      isOver = true
    },
  }
}

function begin(own: Own): void {
  own.isReady = true
  own.ready.resolve()
}
