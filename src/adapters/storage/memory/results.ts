import type { RoomName } from '../../../chat/entry.ts'
import type { RoomStore } from '../../../chat/ports.ts'
import type { LongResult, ResultStore } from '../../../tools/ports/results.ts'
import { missing } from './table.ts'

/** Long results in lists, newest first, and the last number of each room. */
export function createMemoryResults(rooms: Pick<RoomStore, 'find'>): ResultStore {
  const results = new Map<RoomName, readonly LongResult[]>()
  const numbers = new Map<RoomName, number>()
  return {
    async put(result, { since, roomBytes }) {
      const { room } = result
      if (!(await rooms.find(room))) throw missing(`room ${room}`)
      for (const [name, kept] of results)
        results.set(
          name,
          kept.filter((one) => one.at >= since),
        )
      const fd = (numbers.get(room) ?? 0) + 1
      numbers.set(room, fd)
      results.set(room, newestWithin([{ ...result, fd }, ...(results.get(room) ?? [])], roomBytes))
      return fd
    },
    find: async (room, fd) => results.get(room)?.find((one) => one.fd === fd),
  }
}

/** The first one always, and those after it as far as all of them together have no more bytes. */
function newestWithin(newestFirst: readonly LongResult[], most: number): readonly LongResult[] {
  let total = 0
  const surplus = newestFirst.findIndex(({ text }, index) => {
    total += Buffer.byteLength(text)
    return index > 0 && total > most
  })
  return surplus === -1 ? newestFirst : newestFirst.slice(0, surplus)
}
