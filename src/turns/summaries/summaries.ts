// A room's memory: what was said and no longer fits into a prompt is summed up in the background, piece by piece, by a model
// that the room names. This folder must not know how a summary is shown to models (lua/layers/summary.lua), who may ask for
// one, or how it is stored.
import type { Entry, EntryId, RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Json } from '../../lib/json.ts'
import type { Alarm, Clock, Log, MonotonicClock, RoomStore } from '../../chat/ports.ts'
import { CONVERSATION_KINDS } from '../../prompt/conversation/conversation-rows.ts'
import type { SummaryStore } from '../../prompt/ports.ts'
import { TurnStopped } from '../ending.ts'
import type { ConfiguredModel } from '../ports.ts'
import { forgetEntry } from './forget-entry.ts'
import { createPiecePace } from './piece-pace.ts'
import type { SumUp } from './sum-up.ts'
import { summarizerIn } from '../../prompt/key-values.ts'
import { checkSummarizer, isAmong } from './summarizer-model.ts'
import type { Troubles } from './troubles.ts'

/** What goes on with a room's summary. */
export interface SummaryStatus {
  /** The model that sums up the room; undefined where nobody does. */
  readonly summarizer: string | undefined
  /** True while it works, or waits for others to end. */
  readonly working: boolean
  /** The model that is asked now; absent where none is. */
  readonly asked?: string
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
  /** Throws `Refusal` for a value of the key `summarizer` that names no model which can sum up, and is not `none`. */
  checkName(value: Json): void
  /** The room has another summarizer, or none: what is being made is stopped, and the room is looked at anew. */
  renamed(room: RoomName): Promise<void>
  /** The config has changed: the same for rooms whose model has changed or is gone, or is not theirs any more. */
  configChanged(): Promise<void>
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
  /** Gives the models that can be called now. */
  readonly models: () => readonly ConfiguredModel[]
}

/** Entries after which a room is looked at. */
const ENTRIES_PER_LOOK = 20
/** Rooms that are summed up at once: they share the models with turns. */
const MAX_AT_ONCE = 4

interface Work {
  readonly stop: AbortController
  readonly done: Promise<void>
  /** The model that is asked; absent until it is known. */
  model?: ConfiguredModel
}

export function createSummaries(parts: SummariesParts): Summaries {
  const { troubles, log } = parts
  const pace = createPiecePace(parts.clock)
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
    const asks = (model: ConfiguredModel): void => {
      const now = working.get(room)
      if (now) now.model = model
    }
    const done = work(room, stop.signal, asks).finally(() => {
      working.delete(room)
      const [next] = waiting
      if (next !== undefined && waiting.delete(next)) look(next)
    })
    working.set(room, { stop, done })
  }

  async function work(
    room: RoomName,
    signal: AbortSignal,
    asks: (model: ConfiguredModel) => void,
  ): Promise<void> {
    try {
      for (;;) {
        await pace(room, signal)
        if (!(await parts.sumUp(room, signal, asks))) break
        troubles.over(room)
      }
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

  async function lookAnew(room: RoomName): Promise<void> {
    await stopped(room)
    troubles.over(room)
    if ((await summarizerOf(room)) !== undefined) look(room)
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
    checkName: (value) => checkSummarizer(value, parts.models()),
    renamed: lookAnew,
    async configChanged() {
      for (const [room, { model }] of [...working]) {
        const name = model?.settings.name
        if (!isAmong(parts.models(), model) || (await summarizerOf(room)) !== name) await lookAnew(room)
      }
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
      const asked = working.get(room)?.model?.settings.name
      return {
        summarizer: await summarizerOf(room),
        working: working.has(room) || waiting.has(room),
        ...(asked === undefined ? {} : { asked }),
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
