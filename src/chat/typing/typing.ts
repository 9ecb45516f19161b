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
  /** What was being typed when a connection broke. Once something is sent it is one of the lines. */
  readonly draft: string | undefined
  /** Calls `listener` with each draft that another session of this person leaves behind from now on. */
  onDraft(listener: (draft: string) => void): void
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

/** `at`: when it was left, or read; in milliseconds since the epoch. */
interface KeptDraft {
  readonly text: string
  readonly at: number
}

/** What is kept for one person while they have sessions. */
interface Kept {
  lines: readonly string[]
  draft: KeptDraft | undefined
  /** Not stored yet. */
  pending: string[]
  /** Those whose sessions are open. */
  readonly listeners: Set<(draft: string) => void>
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
    kept.draft ??= draft === undefined ? undefined : { text: draft, at: clock.now() }
  }

  function keep(person: Person): Kept {
    const work = Promise.resolve().then(() => read(person, () => kept))
    const kept: Kept = {
      ...{ lines: [], draft: undefined, pending: [], isWanted: true, isTimed: false, holders: 0 },
      listeners: new Set(),
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
    const { draft } = kept
    if (draft !== undefined) {
      kept.draft = undefined
      if (!line.includes(draft.text)) remember(person, kept, draft.text)
      void unlessStorageFails(store.dropDraft(person), 'a draft could not be deleted')
    }
    if (line.length <= MAX_LINE_UNITS) remember(person, kept, line)
  }

  function remember(person: PersonId, kept: Kept, line: string): void {
    if (!kept.isWanted || holdsSecret(line) || kept.lines.at(-1) === line) return
    kept.lines = [...kept.lines, line].slice(-LIMITS.lines)
    kept.pending.push(line)
    if (kept.isTimed) return
    kept.isTimed = true
    clock.later(STORE_AFTER_MS, () => void storePending(person, kept))
  }

  /** Until all is stored it is held for whoever logs in meanwhile: they may read before it is on disk. */
  async function close(person: PersonId, kept: Kept, draft: string): Promise<void> {
    if (kept.isWanted && draft.trim() !== '' && !holdsSecret(draft))
      await keepDraft(person, kept, draft.slice(0, MAX_DRAFT_UNITS).toWellFormed())
    await storePending(person, kept)
    if (--kept.holders === 0 && open.get(person) === kept) open.delete(person)
  }

  /** One draft is offered at a time; the one before it becomes one of the lines. */
  async function keepDraft(person: PersonId, kept: Kept, text: string): Promise<void> {
    const before = kept.draft?.text
    if (before !== undefined && !text.includes(before)) remember(person, kept, before)
    const draft = { text, at: clock.now() }
    kept.draft = draft
    for (const listener of kept.listeners) if (text !== before) listener(text)
    const keeping = store.keepDraft(person, draft, oldest())
    await unlessStorageFails(keeping, 'a draft was not stored')
  }

  return {
    async open(person) {
      const { id, guest } = person
      if (guest) return NOTHING
      const kept = open.get(id) ?? keep(person)
      kept.holders++
      await kept.ready
      let hear: ((draft: string) => void) | undefined
      return {
        lines: kept.lines,
        get draft() {
          return kept.draft && kept.draft.at >= oldest() ? kept.draft.text : undefined
        },
        onDraft(listener) {
          hear = listener
          kept.listeners.add(listener)
        },
        sent: (line) => take(id, kept, line),
        close(draft) {
          if (hear) kept.listeners.delete(hear)
          return close(id, kept, draft)
        },
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

const NOTHING: TypingSession = {
  lines: [],
  draft: undefined,
  onDraft: () => undefined,
  sent: () => undefined,
  close: async () => undefined,
}
