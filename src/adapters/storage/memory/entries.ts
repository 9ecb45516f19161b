import type { Entry, EntryId, RoomName } from '../../../chat/entry.ts'
import type { EntryLog, LogQuery } from '../../../chat/ports.ts'
import type { HistoryRow } from '../../../prompt/snapshot.ts'
import type { HistoryStore } from '../../../prompt/ports.ts'
import { estimateTokens } from '../estimate.ts'
import { byText, stored, taken } from './table.ts'

/** The rooms' logs, and what their entries cost: lists in order of id, and maps. */
export function createMemoryEntries(): { readonly log: EntryLog; readonly history: HistoryStore } {
  const byId = new Map<EntryId, Entry>()
  const byRoom = new Map<RoomName, Entry[]>()
  const counts = new Map<string, number>()
  const newestFirst = (room: RoomName): readonly Entry[] => (byRoom.get(room) ?? []).toReversed()

  const log: EntryLog = {
    async append(entry) {
      if (byId.has(entry.id)) throw taken(`entry ${entry.id}`)
      const copy = stored(entry)
      byId.set(entry.id, copy)
      byRoom.set(entry.room, insertInOrder(byRoom.get(entry.room) ?? [], copy))
    },
    read: async (room, query) => stored(matching(newestFirst(room), query).toReversed()),
    lastId: async () => [...byId.keys()].toSorted(byText).at(-1),
  }

  const history: HistoryStore = {
    async newest(room, { encoding, maxRows, maxTokens, ...query }) {
      const taken: HistoryRow[] = []
      let total = 0
      for (const entry of matching(newestFirst(room), { ...query, limit: maxRows })) {
        const tokens = counts.get(countKey(encoding, entry.id))
        taken.push(tokens === undefined ? { entry } : { entry, tokens })
        total += tokens ?? estimateTokens(entry.text)
        if (total > maxTokens) break
      }
      return stored(taken.toReversed())
    },
    async saveCounts(encoding, added) {
      for (const [id, tokens] of added) if (byId.has(id)) counts.set(countKey(encoding, id), tokens)
    },
  }

  return { log, history }
}

const countKey = (encoding: string, id: EntryId): string => `${encoding} ${id}`

function insertInOrder(entries: Entry[], entry: Entry): Entry[] {
  const before = entries.findLastIndex((other) => byText(other.id, entry.id) < 0)
  return entries.toSpliced(before + 1, 0, entry)
}

function matching(newestFirst: readonly Entry[], query: LogQuery): Entry[] {
  const { before, after, kinds, words, withoutThreads } = query
  return newestFirst
    .filter((entry) => before === undefined || byText(entry.id, before) < 0)
    .filter((entry) => after === undefined || byText(entry.id, after) > 0)
    .filter((entry) => kinds === undefined || kinds.includes(entry.kind))
    .filter((entry) => !withoutThreads || entry.thread === undefined)
    .filter((entry) => (words ?? []).every((word) => holds(entry.text, word) || holds(entry.author, word)))
    .slice(0, Math.max(0, Math.floor(query.limit)))
}

const holds = (text: string, word: string): boolean => lowerAscii(text).includes(lowerAscii(word))

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
