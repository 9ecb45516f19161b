import type { Entry } from '../../../chat/entry.ts'
import type { Room } from '../../../chat/room.ts'
import type { TurnRecord } from '../../../turns/ports.ts'
import type { Output } from '../../command.ts'

/** Entries that are read at once. */
const PAGE = 64

/**
 * What a room's log has of a turn: its calls, results and replies, oldest first. Nothing for a turn whose question is not
 * known, as in older versions. Rejects with `StorageError`.
 */
export async function entriesOfTurn(
  { id, message, endedAt }: TurnRecord,
  room: Room,
  out: Pick<Output, 'ready'>,
): Promise<readonly Entry[]> {
  const found: Entry[] = []
  for (let after = message; after !== undefined;) {
    await out.ready()
    const page = await room.history({
      limit: PAGE,
      oldestFirst: true,
      after,
      kinds: ['reply', 'notice', 'tool_call', 'tool_result'],
    })
    found.push(...page.filter((entry) => 'turn' in entry && entry.turn === id))
    const last = page.at(-1)
    const isPast = last === undefined || page.length < PAGE || isEnd(found.at(-1)) || isLater(last, endedAt)
    after = isPast ? undefined : last.id
  }
  return found
}

/** The last entry of a turn has its outcome, or is the notice that there is none. */
const isEnd = (entry: Entry | undefined): boolean =>
  entry !== undefined && ((entry.kind === 'reply' && entry.outcome !== undefined) || entry.kind === 'notice')

/** Clocks may step back a little. */
const LATE_MS = 60_000
const isLater = ({ at }: Entry, endedAt: number | undefined): boolean =>
  endedAt !== undefined && at > endedAt + LATE_MS
