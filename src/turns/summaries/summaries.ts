// Sums up in the background, with a model that the room names, entries that no longer fit into a prompt. Must
// not know how models are shown a summary (lua/layers/summary.lua), who may ask for one, or how it is stored.
import type { Entry, EntryId, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type { Slot, Slots, RoomStore, Room } from '../../chat/index.ts'
import { utf8Bytes } from '../../base/amounts.ts'
import type { Alarm, Clock, Log, MonotonicClock } from '../../base/environment.ts'
import type { Json } from '../../base/json.ts'
import { CONVERSATION_KINDS, CHECKPOINT_KEY, type SummaryStore, type Summary } from '../../wrap/index.ts'
import { checkpointOf, summarizerName, summaryAfter } from '../key-values.ts'
import type { ConfiguredModel } from '../../wrap/loop/index.ts'
import { TurnStopped } from '../turn-end.ts'
import { nextSummary, type SummaryParts } from './make-summary.ts'
import { createPiecePace, SummaryFailures } from './pauses.ts'
import { RoomSlots } from './room-slots.ts'
import { checkSummarizer, isAmong, summarizerCalled, type Summarizers } from './summary-prompt.ts'

export interface SummaryStatus {
  readonly summarizer: string | undefined
  /** True while the room is being summarized, or waits for other rooms. */
  readonly working: boolean
  readonly asked?: string
  /** The last failure, and when it is retried. */
  readonly trouble?: string
}

interface SummariesParts extends SummaryParts {
  readonly rooms: Pick<RoomStore, 'all' | 'values'>
  readonly summaries: SummaryStore
  readonly summarizers: Summarizers
  /** Finds a room without checking access. */
  readonly anyRoom: (name: RoomName) => Promise<Room | undefined>
  readonly slots: Slots
  readonly clock: Clock & Alarm & MonotonicClock
  readonly log: Log
}

/** A room is checked after this many entries, or sooner if they are long. */
const ENTRIES_PER_CHECK = 20
/** Fewer bytes than any text has per token, so that no room is checked late. */
const BYTES_PER_TOKEN = 2
/** The most rooms summarized at the same time, because summaries use the same models as turns. */
const MAX_AT_ONCE = 4
/** Milliseconds until an interrupted remake of a summary begins again. */
const AGAIN_MS = 1_000

/** Reasons for stopping. A remake of a summary begins again after `INTERRUPTED` only. */
const GIVEN_UP = 'it was stopped'
const INTERRUPTED = 'it begins again'

interface Run {
  readonly stop: AbortController
  done: Promise<void>
  model?: ConfiguredModel
  /** The new summary so far, during a remake. Kept only in memory: an edit on any server ends the run. */
  draft?: Summary
}

/** Makes the summaries of all rooms. Disposing stops unfinished ones; finished pieces are stored. */
export class Summaries implements AsyncDisposable {
  readonly #parts: SummariesParts
  readonly #slots: RoomSlots
  readonly #failures: SummaryFailures
  readonly #pace: ReturnType<typeof createPiecePace>
  readonly #running = new Map<RoomName, Run>()
  readonly #waiting = new Set<RoomName>()
  /** Rooms that must not be summarized now. */
  readonly #held = new Set<RoomName>()
  /** Rooms whose summary is being remade, also during a pause after a failure. */
  readonly #renewed = new Set<RoomName>()
  /** Entries and bytes recorded in each room since it was last checked. */
  readonly #heard = new Map<RoomName, { readonly entries: number; readonly bytes: number }>()
  #isClosing = false

  constructor(parts: SummariesParts) {
    this.#parts = parts
    this.#slots = new RoomSlots(parts.slots, parts.clock)
    this.#failures = new SummaryFailures(parts.anyRoom, parts.clock, parts.log)
    this.#pace = createPiecePace(parts.clock)
  }

  /** Counts a recorded entry, and checks the room in the background after enough of them. Never throws. */
  readonly onEntry = ({ room, kind, thread, text }: Entry): void => {
    if (thread !== undefined || !CONVERSATION_KINDS.includes(kind)) return
    const before = this.#heard.get(room) ?? { entries: 0, bytes: 0 }
    const now = { entries: before.entries + 1, bytes: before.bytes + utf8Bytes(text) }
    this.#heard.set(room, now)
    const { checkAfter } = this.#parts.sizes.last
    if (now.entries < ENTRIES_PER_CHECK && now.bytes < checkAfter * BYTES_PER_TOKEN) return
    this.#heard.delete(room)
    this.#check(room)
  }

  /** Checks all rooms, because the last run of the server may have ended during a summary. */
  async checkAll(): Promise<void> {
    for (const { name } of await this.#parts.rooms.all()) {
      if (this.#isClosing) return
      if ((await this.#summarizerOf(name)) !== undefined) this.#check(name)
    }
  }

  /** Remakes a summary in the background. Rejects with `Refusal` without a summarizer, or `StorageError`. */
  async renew(room: RoomName): Promise<void> {
    if ((await this.#summarizerOf(room)) === undefined) throw new Refusal(NO_SUMMARIZER)
    await this.#stopEverywhere(room, GIVEN_UP)
    this.#renewed.add(room)
    this.#failures.clear(room)
    this.#check(room)
  }

  /** Throws `Refusal` if the key `summarizer` names neither `none` nor a model that can sum up. */
  checkName(value: Json): void {
    checkSummarizer(value, this.#parts.summarizers.models())
  }

  /** Stops the summary in progress and checks the room again, for a new or removed summarizer. */
  async summarizerChanged(room: RoomName): Promise<void> {
    await this.#stopEverywhere(room, INTERRUPTED)
    this.#failures.clear(room)
    if ((await this.#summarizerOf(room)) !== undefined) this.#check(room)
  }

  /** As `summarizerChanged`, for rooms whose current model was changed, removed or replaced as summarizer. */
  async configChanged(): Promise<void> {
    for (const [room, { model }] of [...this.#running]) {
      const isThere = isAmong(this.#parts.summarizers.models(), model)
      if (!isThere || (await this.#summarizerOf(room)) !== model?.settings.name)
        await this.summarizerChanged(room)
    }
  }

  /** Stops the summary in progress, and gives up a remake. Returns false if there was none. */
  stop(room: RoomName): boolean {
    this.#renewed.delete(room)
    if (!this.#isBusy(room)) return false
    this.#stopEverywhere(room, GIVEN_UP).catch((error: unknown) =>
      this.#parts.log.warn({ room, error }, 'could not stop a summary'),
    )
    return true
  }

  /**
   * Runs `record`, which retracts or replaces an entry. Afterwards no summary made from the entry is current,
   * and no server makes one meanwhile. Rejects with `StorageError`, or as `record` does.
   */
  readonly forget = async (room: RoomName, entry: EntryId, record: () => Promise<unknown>): Promise<void> => {
    const wasBusy = this.#isBusy(room)
    let isForgotten = false
    let slot: Slot | undefined
    this.#held.add(room)
    try {
      while (!slot) {
        await this.#stopHere(room, INTERRUPTED)
        slot = await this.#slots.take(room, () => {})
        if (!slot) await this.#slots.stopRemote(room, INTERRUPTED)
      }
      isForgotten = await this.#forgetEntry(room, entry)
      await record()
    } finally {
      this.#held.delete(room)
      await slot?.leave()
      if (wasBusy || isForgotten) this.#check(room)
    }
  }

  async status(room: RoomName): Promise<SummaryStatus> {
    const trouble = this.#failures.textFor(room)
    const asked = this.#running.get(room)?.model?.settings.name
    return {
      summarizer: await this.#summarizerOf(room),
      working: this.#isBusy(room),
      ...(asked === undefined ? {} : { asked }),
      ...(trouble === undefined ? {} : { trouble }),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    this.#waiting.clear()
    const all = [...this.#running.values()]
    for (const { stop } of all) stop.abort(new TurnStopped('the server is stopping'))
    await Promise.allSettled(all.map(({ done }) => done))
  }

  /** Starts or queues the summary of a room, except in the pause after a failure. Never throws. */
  #check(room: RoomName): void {
    if (this.#isClosing || this.#held.has(room) || this.#running.has(room)) return
    if (this.#failures.mustWait(room)) return
    if (this.#running.size >= MAX_AT_ONCE) return void this.#waiting.add(room)
    const run: Run = { stop: new AbortController(), done: Promise.resolve() }
    this.#running.set(room, run)
    run.done = this.#sumUp(room, run).finally(() => {
      this.#running.delete(room)
      const [next] = this.#waiting
      if (next !== undefined && this.#waiting.delete(next)) this.#check(next)
    })
  }

  /** Summarizes a room piece by piece until nothing is due. Only one server at a time does so. */
  async #sumUp(room: RoomName, run: Run): Promise<void> {
    const { clock } = this.#parts
    try {
      const slot = await this.#slots.take(room, (reason) => void this.#stopHere(room, reason))
      let isDue = slot !== undefined
      try {
        run.stop.signal.throwIfAborted()
        while (isDue) {
          isDue = await this.#sumUpPiece(room, run)
          this.#failures.clear(room)
        }
      } finally {
        await slot?.leave()
      }
    } catch (error) {
      if (!run.stop.signal.aborted) {
        const ms = await this.#failures.addFailure(room, error)
        return clock.later(ms, () => this.#check(room))
      }
    }
    if (this.#renewed.has(room)) clock.later(AGAIN_MS, () => this.#check(room))
  }

  /** Resolves to false if nothing is due. */
  async #sumUpPiece(room: RoomName, run: Run): Promise<boolean> {
    const { rooms, summaries, summarizers, clock } = this.#parts
    const values = await rooms.values(room)
    const name = summarizerName(values, summarizers.usual())
    if (name === undefined) {
      this.#renewed.delete(room)
      return false
    }
    const model = summarizerCalled(name, summarizers.models())
    const isRenewed = this.#renewed.has(room)
    const current = await summaries.current(room)
    const checkpoint = checkpointOf(values.get(CHECKPOINT_KEY))
    const before = summaryAfter(checkpoint, isRenewed ? run.draft : current)
    const after = before?.last ?? checkpoint?.after
    const piece = { room, model, before, after, isAll: isRenewed && !before }
    const beforeRequest = async (): Promise<void> => {
      await this.#pace(room, run.stop.signal)
      run.model = model
    }
    const next = await nextSummary(piece, beforeRequest, run.stop.signal, this.#parts)
    const store = async ({ text, first, last }: Summary, replaces?: number): Promise<unknown> =>
      await summaries.put({ room, text, first, last, author: name, at: clock.now() }, replaces)
    if (next && isRenewed) run.draft = next
    // A summary that somebody else wrote meanwhile stays, and the next piece continues it.
    else if (next) await store(next, current?.version ?? 0)
    else if (isRenewed) {
      if (before) await store(before)
      this.#renewed.delete(room)
    }
    return next !== undefined
  }

  /**
   * If the current summary covers the entry, the newest version that does not becomes current, or a cleared
   * one. Versions after a cleared one were made from it, or cover the entry too.
   */
  async #forgetEntry(room: RoomName, entry: EntryId): Promise<boolean> {
    const { summaries, clock } = this.#parts
    const current = await summaries.current(room)
    if (!current || current.text === '' || entry < current.first || current.last < entry) return false
    const versions = await summaries.versions(room)
    const clean = versions.find(({ text, last }) => text === '' || last < entry) ?? { ...current, text: '' }
    const { text, first, last, author } = clean
    await summaries.put({ room, text, first, last, author, at: clock.now() })
    return true
  }

  async #stopEverywhere(room: RoomName, reason: string): Promise<void> {
    await this.#stopHere(room, reason)
    if (this.#slots.remote(room)) await this.#slots.stopRemote(room, reason)
  }

  async #stopHere(room: RoomName, reason: string): Promise<void> {
    if (reason === GIVEN_UP) this.#renewed.delete(room)
    this.#waiting.delete(room)
    const run = this.#running.get(room)
    run?.stop.abort(new TurnStopped(reason))
    await run?.done
  }

  #isBusy(room: RoomName): boolean {
    return this.#running.has(room) || this.#waiting.has(room) || this.#slots.remote(room) !== undefined
  }

  async #summarizerOf(room: RoomName): Promise<string | undefined> {
    return summarizerName(await this.#parts.rooms.values(room), this.#parts.summarizers.usual())
  }
}

const NO_SUMMARIZER = 'no model writes summaries here; /kv summarizer NAME chooses one of /models'
