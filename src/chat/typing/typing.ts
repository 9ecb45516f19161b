import { createNewestWrites } from '../newest-writes.ts'
import type { Person, PersonId } from '../people/person.ts'
import { createKeptLines, type KeptLines, type KeptLinesParts, type TypedWrites } from './kept-lines.ts'
import type { TypedStore } from './ports.ts'

/** What people typed, kept for themselves. Guests are nobody at the next login: for them nothing is kept. */
export interface Typing {
  /** For a session that begins. Never rejects with `StorageError`: it is logged, and nothing is remembered. */
  open(person: Person): Promise<TypingSession>
  /** Deletes what was stored of somebody who wants nothing kept. Rejects with `StorageError`. */
  forget(person: Person): Promise<void>
}

/** The part that one session has in it. */
export interface TypingSession {
  /** Oldest first, those of the person's other open sessions included. */
  readonly lines: readonly string[]
  /** What was being typed when a connection broke. Once something is sent it is one of the lines. */
  readonly draft: string | undefined
  /** Calls `listener` with each draft that another session of this person leaves behind from now on. */
  onDraft(listener: (draft: string) => void): void
  /** The person sent a line. */
  sent(line: string): void
  /** To be called once; `draft` is what stands unsent. Never rejects. */
  close(draft: string): Promise<void>
}

/** What typing is made from. */
export interface TypingParts extends KeptLinesParts {
  readonly store: TypedStore
}

/** What is kept for one person, and for how many of their sessions. */
interface Held {
  readonly kept: KeptLines
  sessions: number
}

export function createTyping(parts: TypingParts): Typing {
  const held = new Map<PersonId, Held>()
  const { clock: alarm, log } = parts
  const writes: TypedWrites = {
    lines: createNewestWrites({
      what: 'what somebody typed was not stored yet',
      onDone: release,
      alarm,
      log,
    }),
    drafts: createNewestWrites({ what: 'a draft was not stored yet', onDone: release, alarm, log }),
  }

  function hold(person: Person): Held {
    const one = held.get(person.id) ?? { kept: createKeptLines(person, parts, writes), sessions: 0 }
    held.set(person.id, one)
    one.sessions++
    return one
  }

  async function close(person: PersonId, one: Held, draft: string): Promise<void> {
    await one.kept.left(draft)
    one.sessions--
    release(person)
  }

  /** Until all is stored it is held for whoever logs in meanwhile: they may read before it is on disk. */
  function release(person: PersonId): void {
    const isWaiting = writes.lines.isWaiting(person) || writes.drafts.isWaiting(person)
    const one = held.get(person)
    if (one?.sessions !== 0 || isWaiting) return
    held.delete(person)
    one.kept.close()
  }

  return {
    async open(person) {
      if (person.guest) return NOTHING
      const one = hold(person)
      const { kept } = one
      await kept.ready
      let stop = (): void => undefined
      return {
        lines: kept.lines(),
        get draft() {
          return kept.draft()
        },
        onDraft(listener) {
          stop = kept.onDraft(listener)
        },
        sent: kept.sent,
        close(draft) {
          stop()
          return close(person.id, one, draft)
        },
      }
    },
    async forget({ id, guest }) {
      if (!guest) await parts.store.forget(id)
    },
  }
}

const NOTHING: TypingSession = {
  lines: [],
  draft: undefined,
  onDraft: () => undefined,
  sent: () => undefined,
  close: async () => undefined,
}
