import { DAY_MS } from '../../lib/duration.ts'
import { StorageError } from '../errors.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Alarm, Clock, Log } from '../ports.ts'
import type { TypedLimits, TypedStore } from './ports.ts'
import { holdsSecret } from './secrets.ts'

/** What people typed, kept for themselves. Guests are nobody at the next login: for them nothing is kept. */
export interface Typing {
  /** For a session that begins. Never rejects with `StorageError`: it is logged, and nothing is remembered. */
  open(person: Person): Promise<TypingSession>
  /** From now on nothing is kept, and what was kept is deleted; or it is kept again. Rejects with `StorageError`. */
  setKept(person: Person, isKept: boolean): Promise<void>
}

/** The part that one session has in it. */
export interface TypingSession {
  /** Oldest first, those of the person's other open sessions included. */
  readonly lines: readonly string[]
  /** What was being typed when a connection broke. It is kept until something is sent. */
  readonly draft?: string
  /** The person sent a line. */
  sent(line: string): void
  /** To be called once; `draft` is what stands unsent. Never rejects. */
  close(draft: string): Promise<void>
}

const LIMITS: TypedLimits = { lines: 200, characters: 65_536 }
/** Longer lines are pastes, and nobody looks for them by their letters; in UTF-16 units. */
const MAX_LINE_UNITS = 4_000
/** Of a longer draft the beginning is kept. */
const MAX_DRAFT_UNITS = 16_384
const DRAFT_DAYS = 7
/** Lines are stored together, so that none of them waits for a disk. */
const STORE_AFTER_MS = 5_000

/** What is kept for one person while they have sessions. */
interface Kept {
  lines: readonly string[]
  draft: string | undefined
  /** Not stored yet. */
  pending: string[]
  isWanted: boolean
  isTimed: boolean
  holders: number
  readonly ready: Promise<void>
}

/** What typing is made from. `wants` says whether somebody wants their lines kept. */
export interface TypingParts {
  readonly store: TypedStore
  readonly wants: (person: Person) => Promise<boolean>
  readonly clock: Clock & Alarm
  readonly log: Log
}

export function createTyping({ store, wants, clock, log }: TypingParts): Typing {
  const open = new Map<PersonId, Kept>()
  const oldest = (): number => clock.now() - DRAFT_DAYS * DAY_MS

  async function unlessStorageFails(work: Promise<void>, what: string): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason }, what)
    })
  }

  async function read(person: Person, into: () => Kept): Promise<void> {
    if (!(await wants(person))) return void (into().isWanted = false)
    const [lines, draft] = await Promise.all([store.lines(person.id), store.draft(person.id, oldest())])
    const kept = into()
    // They may have wanted it no more while it was read.
    if (!kept.isWanted) return
    kept.lines = [...lines, ...kept.lines]
    kept.draft = draft
  }

  function keep(person: Person): Kept {
    const work = Promise.resolve().then(() => read(person, () => kept))
    const kept: Kept = {
      ...{ lines: [], draft: undefined, pending: [], isWanted: true, isTimed: false, holders: 0 },
      ready: unlessStorageFails(work, 'what somebody typed before could not be read'),
    }
    open.set(person.id, kept)
    return kept
  }

  function storePending(person: PersonId, kept: Kept): Promise<void> {
    kept.isTimed = false
    const lines = kept.pending
    kept.pending = []
    if (lines.length === 0) return Promise.resolve()
    return unlessStorageFails(store.addLines(person, lines, LIMITS), 'what somebody typed was not stored')
  }

  function take(person: PersonId, kept: Kept, line: string): void {
    if (kept.draft !== undefined) {
      kept.draft = undefined
      void unlessStorageFails(store.dropDraft(person), 'a draft could not be deleted')
    }
    const isKept = kept.isWanted && line.length <= MAX_LINE_UNITS && !holdsSecret(line)
    if (!isKept || kept.lines.at(-1) === line) return
    kept.lines = [...kept.lines, line].slice(-LIMITS.lines)
    kept.pending.push(line)
    if (kept.isTimed) return
    kept.isTimed = true
    clock.later(STORE_AFTER_MS, () => void storePending(person, kept))
  }

  async function close(person: PersonId, kept: Kept, draft: string): Promise<void> {
    if (--kept.holders === 0 && open.get(person) === kept) open.delete(person)
    const stored = storePending(person, kept)
    if (kept.isWanted && draft.trim() !== '' && !holdsSecret(draft)) {
      const text = draft.slice(0, MAX_DRAFT_UNITS).toWellFormed()
      const keeping = store.keepDraft(person, { text, at: clock.now() }, oldest())
      await unlessStorageFails(keeping, 'a draft was not stored')
    }
    await stored
  }

  return {
    async open(person) {
      const { id, guest } = person
      if (guest) return NOTHING
      const kept = open.get(id) ?? keep(person)
      kept.holders++
      await kept.ready
      return {
        lines: kept.lines,
        ...(kept.draft === undefined ? {} : { draft: kept.draft }),
        sent: (line) => take(id, kept, line),
        close: (draft) => close(id, kept, draft),
      }
    },
    async setKept({ id, guest }, isKept) {
      if (guest) return
      const kept = open.get(id)
      if (kept) kept.isWanted = isKept
      if (isKept) return
      if (kept) Object.assign(kept, { lines: [], pending: [], draft: undefined })
      await store.forget(id)
    },
  }
}

const NOTHING: TypingSession = { lines: [], sent: () => undefined, close: async () => undefined }
