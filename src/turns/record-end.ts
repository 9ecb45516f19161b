import type { Entry, TurnId, Usage } from '../chat/entry.ts'
import { SYSTEM } from '../chat/names.ts'
import type { Clock } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { Ending } from './ending.ts'
import type { ConfiguredModel, TurnStore } from './ports.ts'

/** What a turn has come to: its text, cleaned, and what the provider reported. */
export interface TurnResult {
  readonly text: string
  readonly usage: Usage | undefined
}

/**
 * Records the reply, where there is one, and the notice; then ends the turn's own record, whether or not the
 * room could be told. Gives the last entry. Rejects with `StorageError`.
 */
export async function recordEnd(
  job: { readonly id: TurnId; readonly room: Room; readonly model: ConfiguredModel },
  parts: { readonly turns: Pick<TurnStore, 'finish'>; readonly clock: Clock },
  { text, usage }: TurnResult,
  { outcome, notice }: Ending,
): Promise<Entry> {
  const spent = usage ? { usage } : {}
  const author = job.model.settings.name
  const reply = text || (outcome === 'done' ? '(no answer)' : '')
  let last: Entry | undefined
  try {
    if (reply)
      last = await job.room.record({ kind: 'reply', author, text: reply, outcome, turn: job.id, ...spent })
    if (notice) last = await job.room.record({ kind: 'notice', author: SYSTEM, turn: job.id, ...notice })
    return last!
  } finally {
    const error = outcome === 'failed' && notice ? { error: notice.text } : {}
    await parts.turns.finish(job.id, { endedAt: parts.clock.now(), outcome, ...spent, ...error })
  }
}
