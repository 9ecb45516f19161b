import type { RoomName } from '../../chat/entry.ts'
import type { Clock, RoomStore } from '../../chat/ports.ts'
import { zip } from '../../lib/basics.ts'
import {
  CHECKPOINT_KEY,
  checkpointOf,
  summaryAfter,
  type Checkpoint,
  summarizerIn,
} from '../../prompt/key-values.ts'
import { CONVERSATION_KINDS } from '../../prompt/history.ts'
import type { Composer, HistoryStore, SummaryDraft, SummaryStore } from '../../prompt/ports.ts'
import type { HistoryRow, Summary } from '../../prompt/snapshot.ts'
import type { ConfiguredModel } from '../ports.ts'
import { type CountedEntry, rowsDue, type SizesNow } from './summary-rows.ts'
import type { MakeSummary } from './make-summary.ts'
import { summarizerCalled, type Summarizers } from './summary-prompt.ts'

/** What a piece of a summary is made from. */
export interface SumUpParts {
  readonly rooms: Pick<RoomStore, 'values'>
  readonly history: Pick<HistoryStore, 'following' | 'saveCounts'>
  readonly summaries: SummaryStore
  readonly composer: Pick<Composer, 'count'>
  readonly clock: Clock
  readonly summarizers: Summarizers
  readonly sizes: Pick<SizesNow, 'read'>
  readonly makeSummary: MakeSummary
}

/**
 * Sums up the next piece of a room's conversation with one request, and stores it. `asks` is told the model, before the
 * request, which waits for it. Resolves to false where nothing is due.
 * Rejects with `Refusal`, `ModelError`, `WrapError`, `StorageError`, `TurnStopped`, or the signal's reason: then nothing was
 * stored, and the same piece is next.
 */
export type SumUp = (
  room: RoomName,
  signal: AbortSignal,
  asks: (model: ConfiguredModel) => Promise<void>,
) => Promise<boolean>

/** Rows that are read at once. */
const MAX_ROWS = 400

export function createSumUp(parts: SumUpParts): SumUp {
  const { summaries } = parts

  return async (room, signal, asks) => {
    const values = await parts.rooms.values(room)
    const name = summarizerIn(values, parts.summarizers.usual())
    if (name === undefined) return false
    const model = summarizerCalled(name, parts.summarizers.models())
    const base = await baseOf(room, checkpointOf(values.get(CHECKPOINT_KEY)))
    const { rows, isAll } = await rowsAfter(room, base.after, model.settings.encoding)
    const sizes = await parts.sizes.read()
    const due = isNew(base) ? rows.length : rowsDue(rows, sizes.unsummed, isAll)
    if (due === 0) {
      if (base.isDraft) await base.finish(name)
      return false
    }
    const job = { room, model, before: base.summary.text, rows: rows.slice(0, due), tokens: sizes.summary }
    await asks(model)
    const { text, entries } = await parts.makeSummary(job, signal)
    const [first, last] = [entries[0], entries.at(-1)]
    if (!first || !last) return false
    await base.save({ text, first: base.summary.first ?? first.id, last: last.id }, name)
    return true
  }

  /** What the next summary goes on from: the draft where there is one, else the current one. */
  async function baseOf(room: RoomName, checkpoint: Checkpoint | undefined): Promise<Base> {
    const [draft, current] = await Promise.all([summaries.draft(room), summaries.current(room)])
    const newVersion = ({ text, first, last }: Summary, author: string) => {
      return { room, text, first, last, author, at: parts.clock.now() }
    }
    if (draft) {
      const summary: SummaryDraft =
        draft.first && draft.first > (checkpoint?.after ?? '') ? draft : { text: '' }
      return {
        isDraft: true,
        summary,
        after: summary.last ?? checkpoint?.after,
        save: (next) => summaries.putDraft(room, next),
        async finish(author) {
          const { text, first, last } = summary
          if (first && last) await summaries.finishDraft(newVersion({ text, first, last }, author))
          else await summaries.putDraft(room, undefined)
        },
      }
    }
    const summary = summaryAfter(checkpoint, current) ?? { text: '' }
    return {
      isDraft: false,
      summary,
      after: 'last' in summary ? summary.last : checkpoint?.after,
      // Where somebody has written another one meanwhile, that one holds, and the next piece goes on from it.
      save: async (next, author) =>
        void (await summaries.put(newVersion(next, author), current?.version ?? 0)),
      finish: async () => {},
    }
  }

  async function rowsAfter(room: RoomName, after: Summary['last'] | undefined, encoding: string) {
    const rows = await parts.history.following(room, {
      encoding,
      maxRows: MAX_ROWS,
      kinds: CONVERSATION_KINDS,
      withoutThreads: true,
      ...(after === undefined ? {} : { after }),
    })
    return { rows: await counted(rows, encoding), isAll: rows.length < MAX_ROWS }
  }

  /** The tokens of each row. Those that nobody has counted yet are counted and stored. */
  async function counted(rows: readonly HistoryRow[], encoding: string): Promise<readonly CountedEntry[]> {
    const fresh = rows.filter(({ tokens }) => tokens === undefined).map(({ entry }) => entry)
    const texts = fresh.map(({ author, text }) => `${author}: ${text}`)
    const counts = new Map(
      zip(
        fresh.map(({ id }) => id),
        await parts.composer.count(encoding, texts),
      ),
    )
    if (fresh.length > 0) await parts.history.saveCounts(encoding, counts)
    return rows.map(({ entry, tokens }) => ({ entry, tokens: tokens ?? counts.get(entry.id) ?? 0 }))
  }
}

/** Who asks for a summary gets one, however little was said. */
const isNew = ({ isDraft, summary }: Base): boolean => isDraft && summary.text === ''

interface Base {
  readonly isDraft: boolean
  readonly summary: SummaryDraft
  /** What was said after this entry is next. */
  readonly after: Summary['last'] | undefined
  save(next: Summary, author: string): Promise<void>
  /** The draft covers everything: it becomes the room's summary. */
  finish(author: string): Promise<void>
}
