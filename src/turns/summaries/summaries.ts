// A room's memory: what was said and no longer fits into a prompt is summed up in the background, piece by piece, by a model
// that the room names. This folder must not know how a summary is shown to models (lua/layers/summary.lua), who may ask for
// one, or how it is stored.
import type { Entry, EntryId, RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Json } from '../../lib/json.ts'
import type { Clock, Log, RoomStore } from '../../chat/ports.ts'
import { CONVERSATION_KINDS } from '../../prompt/history.ts'
import type { SummaryStore } from '../../prompt/ports.ts'
import { forgetEntry } from './forget-entry.ts'
import { utf8Bytes } from '../../lib/amounts.ts'
import type { RoomWork } from './room-work.ts'
import type { SizesNow } from './summary-rows.ts'
import { summarizerIn } from '../../prompt/key-values.ts'
import { checkSummarizer, isAmong, type Summarizers } from './summary-prompt.ts'
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
  readonly work: RoomWork
  readonly sizes: Pick<SizesNow, 'last'>
  readonly troubles: Troubles
  readonly clock: Clock
  readonly log: Log
  readonly summarizers: Summarizers
}

/** Entries after which a room is looked at. */
const ENTRIES_PER_LOOK = 20
/** It is looked at sooner where these are long: no text has fewer bytes a token, by far. */
const BYTES_PER_TOKEN = 2

const NOTHING_HEARD = { entries: 0, bytes: 0 }

export function createSummaries(parts: SummariesParts): Summaries {
  const { work, troubles, log, summarizers } = parts
  /** What was said in each room since it was last looked at. */
  const heardSince = new Map<RoomName, { readonly entries: number; readonly bytes: number }>()

  async function lookAnew(room: RoomName): Promise<void> {
    await work.stop(room)
    troubles.over(room)
    if ((await summarizerOf(room)) !== undefined) work.look(room)
  }

  const summarizerOf = async (room: RoomName): Promise<string | undefined> =>
    summarizerIn(await parts.rooms.values(room), summarizers.usual())

  return {
    heard({ room, kind, thread, text }) {
      if (thread !== undefined || !CONVERSATION_KINDS.includes(kind)) return
      const before = heardSince.get(room) ?? NOTHING_HEARD
      const now = { entries: before.entries + 1, bytes: before.bytes + utf8Bytes(text) }
      const isMuch = now.entries >= ENTRIES_PER_LOOK || now.bytes >= parts.sizes.last().look * BYTES_PER_TOKEN
      heardSince.set(room, isMuch ? NOTHING_HEARD : now)
      if (isMuch) work.look(room)
    },
    async lookAtAll() {
      for (const { name } of await parts.rooms.all()) {
        if (work.isClosing()) return
        if ((await summarizerOf(name)) !== undefined) work.look(name)
      }
    },
    async renew(room) {
      if ((await summarizerOf(room)) === undefined) throw new Refusal(NOBODY)
      await work.stop(room)
      await parts.summaries.putDraft(room, { text: '' })
      troubles.over(room)
      work.look(room)
    },
    checkName: (value) => checkSummarizer(value, summarizers.models()),
    renamed: lookAnew,
    async configChanged() {
      for (const [room, { model }] of work.running()) {
        const name = model?.settings.name
        if (!isAmong(summarizers.models(), model) || (await summarizerOf(room)) !== name) await lookAnew(room)
      }
    },
    stop(room) {
      if (!work.isBusy(room)) return false
      const giveUp = async (): Promise<void> => {
        await work.stop(room)
        await parts.summaries.putDraft(room, undefined)
      }
      giveUp().catch((error: unknown) => log.warn({ room, error }, 'a summary could not be given up'))
      return true
    },
    async forget(room, entry, record) {
      const wasBusy = work.isBusy(room)
      const release = await work.hold(room)
      let isForgotten = false
      try {
        isForgotten = await forgetEntry(parts.summaries, parts.clock, room, entry)
        await record()
      } finally {
        await release()
        if (wasBusy || isForgotten) work.look(room)
      }
    },
    async status(room) {
      const trouble = troubles.of(room)
      const asked = work.asked(room)?.settings.name
      return {
        summarizer: await summarizerOf(room),
        working: work.isBusy(room),
        ...(asked === undefined ? {} : { asked }),
        ...(trouble === undefined ? {} : { trouble }),
      }
    },
    [Symbol.asyncDispose]: () => work.close(),
  }
}

const NOBODY =
  'no model sums up this room; /kv summarizer NAME names one, and /models lists those that there are'
