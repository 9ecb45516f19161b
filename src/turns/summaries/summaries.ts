// A room's memory: what was said and no longer fits into a prompt is summed up in the background, piece by piece, by a model
// that the room names. This folder must not know how a summary is shown to models (lua/layers/summary.lua), who may ask for
// one, or how it is stored.
import type { Entry, EntryId, RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Alarm, Clock, Log, MonotonicClock, RoomStore } from '../../chat/ports.ts'
import { CONVERSATION_KINDS } from '../../prompt/conversation/conversation-rows.ts'
import type { SummaryStore } from '../../prompt/ports.ts'
import { TurnStopped } from '../ending.ts'
import { forgetEntry } from './forget-entry.ts'
import type { SumUp } from './sum-up.ts'
import { summarizerIn } from './summarizer-key.ts'
import type { Troubles } from './troubles.ts'

/** What goes on with a room's summary. */
export interface SummaryStatus {
  /** The model that sums up the room; undefined where nobody does. */
  readonly summarizer: string | undefined
  /** True while it works, or waits for others to end. */
  readonly working: boolean
  /** Why the last try failed, and when the next one is; absent where it did not. */
  readonly trouble?: string
}

/** The summaries of all rooms. Disposing stops those that are being made: what was finished before is stored. */
export interface Summaries extends AsyncDisposable {
  /** Something was recorded. When enough was, the room is looked at in the background. Never throws. */
  heard(entry: Entry): void
  /** Looks at all rooms, in the background: the last run of the server may have ended in the middle. */
  lookAtAll(): Promise<void>
  /** Makes the summary of a room anew, in the background. Rejects with `Refusal` where nobody sums it up, or `StorageError`. */
  renew(room: RoomName): Promise<void>
  /** Stops what is being made in a room; one that is made anew is given up. False if nothing was. */
  stop(room: RoomName): boolean
  /**
   * Runs `record`, which takes back or replaces an entry; one at a time in a room. No summary is left that was made from the
   * entry, and none is made meanwhile. Rejects with `StorageError`, or as `record` does.
   */
  forget(room: RoomName, entry: EntryId, record: () => Promise<unknown>): Promise<void>
  /** Rejects with `StorageError`. */
  status(room: RoomName): Promise<SummaryStatus>
}

/** What summaries are made with. */
export interface SummariesParts {
  readonly rooms: Pick<RoomStore, 'all' | 'values'>
  readonly summaries: SummaryStore
  readonly sumUp: SumUp
  readonly troubles: Troubles
  readonly clock: Alarm & Clock & MonotonicClock
  readonly log: Log
  readonly usualSummarizer: () => string | undefined
}

/** Entries after which a room is looked at. */
const ENTRIES_PER_LOOK = 20
/** Rooms that are summed up at once: they share the models with turns. */
const MAX_AT_ONCE = 4

interface Work {
  readonly stop: AbortController
  readonly done: Promise<void>
}

export function createSummaries(parts: SummariesParts): Summaries {
  const { troubles, log } = parts
  const working = new Map<RoomName, Work>()
  const waiting = new Set<RoomName>()
  const heardSince = new Map<RoomName, number>()
  /** Rooms in which nothing may be read for a summary now. */
  const held = new Set<RoomName>()
  let closing = false

  function look(room: RoomName): void {
    if (closing || held.has(room) || working.has(room) || troubles.mustWait(room)) return
    if (working.size >= MAX_AT_ONCE) return void waiting.add(room)
    const stop = new AbortController()
    const done = work(room, stop.signal).finally(() => {
      working.delete(room)
      const [next] = waiting
      if (next !== undefined && waiting.delete(next)) look(next)
    })
    working.set(room, { stop, done })
  }

  async function work(room: RoomName, signal: AbortSignal): Promise<void> {
    try {
      while (await parts.sumUp(room, signal)) troubles.over(room)
      troubles.over(room)
    } catch (error) {
      if (signal.aborted) return
      const ms = await troubles.happened(room, error)
      parts.clock.later(ms, () => look(room))
    }
  }

  async function stopped(room: RoomName): Promise<void> {
    const work = working.get(room)
    waiting.delete(room)
    work?.stop.abort(new TurnStopped('it was stopped'))
    await work?.done
  }

  const summarizerOf = async (room: RoomName): Promise<string | undefined> =>
    summarizerIn(await parts.rooms.values(room), parts.usualSummarizer())

  return {
    heard({ room, kind, thread }) {
      if (thread !== undefined || !CONVERSATION_KINDS.includes(kind)) return
      const count = (heardSince.get(room) ?? 0) + 1
      heardSince.set(room, count % ENTRIES_PER_LOOK)
      if (count === ENTRIES_PER_LOOK) look(room)
    },
    async lookAtAll() {
      for (const { name } of await parts.rooms.all()) {
        if (closing) return
        if ((await summarizerOf(name)) !== undefined) look(name)
      }
    },
    async renew(room) {
      if ((await summarizerOf(room)) === undefined) throw new Refusal(NOBODY)
      await stopped(room)
      await parts.summaries.putDraft(room, { text: '' })
      troubles.over(room)
      look(room)
    },
    stop(room) {
      if (!working.has(room) && !waiting.has(room)) return false
      const giveUp = async (): Promise<void> => {
        await stopped(room)
        await parts.summaries.putDraft(room, undefined)
      }
      giveUp().catch((error: unknown) => log.warn({ room, error }, 'a summary could not be given up'))
      return true
    },
    async forget(room, entry, record) {
      const wasBusy = working.has(room) || waiting.has(room)
      held.add(room)
      let isForgotten = false
      try {
        await stopped(room)
        isForgotten = await forgetEntry(parts.summaries, parts.clock, room, entry)
        await record()
      } finally {
        held.delete(room)
        if (wasBusy || isForgotten) look(room)
      }
    },
    async status(room) {
      const trouble = troubles.of(room)
      return {
        summarizer: await summarizerOf(room),
        working: working.has(room) || waiting.has(room),
        ...(trouble === undefined ? {} : { trouble }),
      }
    },
    async [Symbol.asyncDispose]() {
      closing = true
      waiting.clear()
      const all = [...working.values()]
      for (const { stop } of all) stop.abort(new TurnStopped('the server is stopping'))
      await Promise.allSettled(all.map(({ done }) => done))
    },
  }
}

const NOBODY =
  'no model sums up this room; kv summarizer NAME names one, and models lists those that there are'
