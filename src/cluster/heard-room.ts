import type { Entry, EntryId } from '../chat/entry.ts'
import { StorageError } from '../chat/errors.ts'
import type { Log } from '../chat/ports.ts'
import { createSerial } from '../lib/jobs/serial.ts'

/** An entry that was appended somewhere, and what the log had before it. */
export interface Hint {
  readonly id: EntryId
  readonly after: EntryId | undefined
  /** Absent where it was too long for the wire. */
  readonly entry?: Entry | undefined
}

/** What one room's delivery is made of. */
export interface HeardRoomParts {
  /** The newest entry; undefined for none. Rejects with `StorageError`. */
  readonly newest: () => Promise<EntryId | undefined>
  /** Entries after that one, the oldest first, as many as are read at once. Rejects with `StorageError`. */
  readonly read: (after: EntryId) => Promise<readonly Entry[]>
  /** Whoever hears the room is told. Must not throw. */
  readonly deliver: (entry: Entry, after: EntryId | undefined) => void
  readonly log: Pick<Log, 'warn'>
}

/** The entries of one room, for those in this process who hear it: each once, in the order of the log. No method rejects. */
export interface HeardRoom {
  /** Resolves once everything that is appended from now on will be delivered, or cannot be read now. */
  readonly ready: Promise<void>
  /** This process appended an entry. Resolves when it was delivered. */
  own(hint: Hint): Promise<void>
  /** Another one did. */
  other(hint: Hint): Promise<void>
  /** Something that is no entry, after what was heard before it. */
  inTurn(tell: () => void): Promise<void>
  /** The log has this entry: reads what is missing up to it. */
  reach(id: EntryId): Promise<void>
}

/** Sorts before every id. */
const BEFORE_ALL = '' as EntryId

/**
 * Delivers an entry at once if the one before it was delivered; otherwise reads the log from there. It begins after the
 * newest entry of now, or before the first that this process appends meanwhile.
 */
export function createHeardRoom({ newest, read, deliver, log }: HeardRoomParts): HeardRoom {
  const inTurn = createSerial()
  /** The last that was delivered; undefined until it is known where to begin. */
  let last: EntryId | undefined
  let ownBefore: EntryId | undefined
  /** What was delivered since the log was last looked at and had the last of it. */
  let passed: EntryId[] = []
  /** The last that was delivered, where the log did not have it when it was last looked at. */
  let beyond: EntryId | undefined

  /** `before`: the log before an entry that is to be delivered. */
  async function begin(before?: EntryId): Promise<void> {
    try {
      const stored = (await newest()) ?? BEFORE_ALL
      last = [before, ownBefore].reduce<EntryId>(
        (first, id) => (id !== undefined && id < first ? id : first),
        stored,
      )
    } catch (error) {
      failed(error)
    }
  }

  /** It is tried again with the next hint, and each second. */
  function failed(error: unknown): void {
    if (!(error instanceof StorageError)) throw error
    log.warn({ error, reason: error.reason }, 'what was said on other servers could not be read')
  }

  async function take({ id, after = BEFORE_ALL, entry }: Hint): Promise<void> {
    if (last === undefined) await begin(entry && after)
    if (last === undefined || id <= last) return
    if (entry && after === last) pass(entry)
    else await catchUp(id)
  }

  function pass(entry: Entry): void {
    const after = last === BEFORE_ALL ? undefined : last
    last = entry.id
    passed.push(last)
    deliver(entry, after)
  }

  async function catchUp(to: EntryId): Promise<void> {
    try {
      while (last !== undefined && last < to) {
        const missed = await read(last)
        // An entry that is not in the log any more went with its room.
        if (missed.length === 0) return
        for (const entry of missed) pass(entry)
      }
    } catch (error) {
      failed(error)
    }
  }

  /** What was delivered last is not in the log, twice in a row: it was no entry of ours, and must not hold up what follows. */
  function goBackTo(newest: EntryId): void {
    const isBeyond = last !== undefined && newest < last
    if (isBeyond && beyond === last) last = passed.findLast((id) => id <= newest) ?? newest
    beyond = isBeyond ? last : undefined
    if (!isBeyond) passed = []
  }

  const ready = inTurn(() => begin())
  return {
    ready,
    own(hint) {
      if (last === undefined) ownBefore ??= hint.after ?? BEFORE_ALL
      return inTurn(() => take(hint))
    },
    other: (hint) => inTurn(() => take(hint)),
    inTurn: (tell) => inTurn(tell),
    reach: (id) =>
      inTurn(async () => {
        goBackTo(id)
        await take({ id, after: undefined })
      }),
  }
}
