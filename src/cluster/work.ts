import type { RoomName } from '../words/entry.ts'
import { warnOfStorage } from '../words/errors.ts'
import type { RemoteWork, Slot, SlotLimits, Slots, Work } from '../chat/index.ts'
import type { Alarm, Clock, Log } from '../base/environment.ts'
import { createDeferred, type Deferred } from '../base/jobs/waiting.ts'
import type { JsonObject } from '../base/json.ts'
import type { ClusterStores, WorkRow } from './stores.ts'

/** Milliseconds before another attempt to release a slot. */
const RETRY_MS = 1_000
/** Milliseconds between two published statuses of a work. */
const REPORT_MS = 1_000

export interface SharedSlotsParts extends Pick<ClusterStores, 'server' | 'work' | 'changes' | 'broadcasts'> {
  readonly changed: (room: RoomName) => void
  readonly clock: Clock & Alarm
  readonly log: Log
}

interface OwnWork {
  readonly work: Work
  readonly limits: () => SlotLimits
  readonly hooks: Parameters<Slots['take']>[2]
  readonly ready: Deferred<void>
  isReady: boolean
}

interface TrackedWork {
  readonly work: RemoteWork
  readonly over: Deferred<void>
}

export class SharedSlots implements Slots {
  readonly #parts: SharedSlotsParts
  readonly #own = new Map<string, OwnWork>()
  readonly #remote = new Map<string, TrackedWork>()
  #isOver = false

  constructor(parts: SharedSlotsParts) {
    this.#parts = parts
    parts.changes.on('work', (ids: readonly string[] | 'all') => this.#readAgain(ids))
  }

  async take(work: Work, limits: () => SlotLimits, hooks: OwnWork['hooks']): Promise<Slot | SlotLimits> {
    const own: OwnWork = { work, limits, hooks, ready: createDeferred(), isReady: false }
    const taken = await this.#store(own)
    if (!taken.taken) return { running: taken.running, waiting: taken.waiting }
    if (!taken.waits) begin(own)
    const { work: store, clock, log } = this.#parts
    const publish = createPublisher((doing) => store.tell(work.id, doing), clock, log)
    return {
      ready: own.ready.promise,
      giveUp: () => begin(own),
      leave: async () => {
        if (this.#own.delete(work.id)) await this.#leave(own)
      },
      report: (what, progress) => {
        if (this.#own.has(work.id)) publish({ what, ...(progress && { progress: { ...progress } }) })
      },
    }
  }

  others(kind: Work['kind'], room?: RoomName): readonly RemoteWork[] {
    return [...this.#remote.values()].flatMap(({ work }) =>
      work.kind === kind && (room === undefined || work.room === room) ? [work] : [],
    )
  }

  stop(id: string, reason: string): Promise<void> {
    return this.#parts.broadcasts.send({ kind: 'stop', data: { id, reason } })
  }

  /** Stops work for another server; does nothing if this server does not have it. */
  stopOwn(id: string, reason: string): void {
    this.#own.get(id)?.hooks.stop(reason)
  }

  /** Calls `lost` for all slots: others may have taken this server for dead. */
  loseAll(): void {
    for (const { hooks } of this.#own.values()) hooks.lost()
  }

  /** Keeps the slots when the server stops: they end with its lease. */
  end(): void {
    this.#isOver = true
  }

  async #store(own: OwnWork): ReturnType<ClusterStores['work']['take']> {
    const { id } = own.work
    this.#own.set(id, own)
    try {
      const taken = await this.#parts.work.take(own.work, own.limits())
      if (!taken.taken) this.#own.delete(id)
      return taken
    } catch (error) {
      this.#own.delete(id)
      // The work may have been stored, although the answer was lost.
      void this.#leave(own)
      throw error
    }
  }

  async #leave(own: OwnWork): Promise<void> {
    if (this.#isOver) return
    const { work: store, clock, log } = this.#parts
    const failed = warnOfStorage(log, 'could not release a slot yet', { id: own.work.id })
    const isDone = await store.leave(own.work, own.limits()).then(() => true, failed)
    if (!isDone) clock.later(RETRY_MS, () => void this.#leave(own))
  }

  async #readAgain(ids: readonly string[] | 'all'): Promise<void> {
    const found = await this.#parts.work.read(ids === 'all' ? undefined : ids)
    const rows = new Map(found.map((row) => [row.id, row]))
    const read = ids === 'all' ? new Set([...rows.keys(), ...this.#remote.keys()]) : ids
    for (const id of read) this.#applyRow(id, rows.get(id))
    // A dead server does not pass on its slots.
    if (ids === 'all' || ids.some((id) => !rows.has(id))) await this.#fillQueues()
  }

  async #fillQueues(): Promise<void> {
    const waiting = [...this.#own.values()].filter(({ isReady }) => !isReady)
    const queues = new Map(waiting.map(({ work: { queue }, limits }) => [queue, limits]))
    for (const [queue, limits] of queues) await this.#parts.work.fill(queue, limits())
  }

  #applyRow(id: string, row: WorkRow | undefined): void {
    const own = this.#own.get(id)
    if (own && row && !row.waits) begin(own)
    if (row?.server === this.#parts.server) return
    const before = this.#remote.get(id)
    if (row) this.#remote.set(id, this.#remoteOf(row, before))
    else this.#remote.delete(id)
    if (!row) before?.over.resolve()
    const room = row?.room ?? before?.work.room
    if (room !== undefined) this.#parts.changed(room)
  }

  #remoteOf(row: WorkRow, before: TrackedWork | undefined): TrackedWork {
    const over = before?.over ?? createDeferred<void>()
    const { clock, log } = this.#parts
    const work: RemoteWork = {
      ...row,
      startedAt: before?.work.startedAt ?? clock.now() - row.ageMs,
      ended: () => over.promise,
      stop: (reason) =>
        void this.stop(row.id, reason).catch((error: unknown) =>
          log.error({ error, id: row.id }, 'could not ask another server to stop running work'),
        ),
    }
    return { work, over }
  }
}

function begin(own: OwnWork): void {
  own.isReady = true
  own.ready.resolve()
}

/** Publishes the latest status at once, then at most once per second; drops unchanged and failed values. */
export function createPublisher(
  send: (status: JsonObject) => Promise<void>,
  clock: Alarm,
  log: Pick<Log, 'debug'>,
): (status: JsonObject) => void {
  let sent = ''
  let next: JsonObject | undefined
  let isPaused = false

  function sendNext(): void {
    isPaused = false
    const text = JSON.stringify(next)
    if (next === undefined || text === sent) return
    sent = text
    send(next).catch((error: unknown) =>
      log.debug({ error }, 'could not report running work to the other servers'),
    )
    isPaused = true
    clock.later(REPORT_MS, sendNext)
  }

  return (status) => {
    next = status
    if (!isPaused) sendNext()
  }
}
