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
  serially(tell: () => void): Promise<void>
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
  const serially = createSerial()
  /** The last that was delivered; undefined until it is known where to begin. */
  let last: EntryId | undefined
  /** What the log ended with before the first entry that this process appended meanwhile. */
  let ownBefore: EntryId | undefined
  /** What was delivered, beginning with the last that the log is known to have. */
  let passed: EntryId[] = []
  /** The last that was delivered, where the log ended before it when it was last looked at. */
  let missing: EntryId | undefined

  /** `before`: what the log ended with before an entry that is to be delivered. */
  async function begin(before?: EntryId): Promise<void> {
    try {
      const stored = (await newest()) ?? BEFORE_ALL
      last = [before, ownBefore].reduce<EntryId>(
        (first, id) => (id !== undefined && id < first ? id : first),
        stored,
      )
      passed = [last]
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

  /**
   * Goes back where what was delivered last is in no log: no entry before it would be delivered any more. An example, with numbers
   * for ids: 1, 2 and 9 were delivered, and the log ends with 2. It may not show 9 yet, so 9 is only remembered. When it is looked at
   * again it ends with 3, and 9 is still the last: 9 was no entry of ours. 2 is the last again, and 3 is read.
   */
  function goBackFromMissing(newest: EntryId): void {
    if (last === undefined) return
    if (newest >= last) {
      passed = [last]
      missing = undefined
      return
    }
    if (missing === last) last = passed.findLast((id) => id <= newest) ?? newest
    missing = last
  }

  const ready = serially(() => begin())
  return {
    ready,
    own(hint) {
      if (last === undefined) ownBefore ??= hint.after ?? BEFORE_ALL
      return serially(() => take(hint))
    },
    other: (hint) => serially(() => take(hint)),
    serially: (tell) => serially(tell),
    reach: (id) =>
      serially(async () => {
        goBackFromMissing(id)
        await take({ id, after: undefined })
      }),
  }
}
