import { DAY_MS } from '../../lib/duration.ts'
import { StorageError } from '../errors.ts'
import type { NewestWrites } from '../newest-writes.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Alarm, Clock, Log } from '../ports.ts'
import type { OpenPreferences, Preferences } from '../preferences/preferences.ts'
import type { TypedLimits, TypedStore } from './ports.ts'
import { createPendingLines } from './pending-lines.ts'
import { holdsSecret } from './secrets.ts'

/** What one person typed, while they have sessions. Nothing rejects: what the store refuses is logged, and stored later. */
export interface KeptLines {
  /** Resolves once what was stored is read. */
  readonly ready: Promise<void>
  /** Oldest first. */
  lines(): readonly string[]
  /** What stood unsent in a session that ended, unless that is long ago. */
  draft(): string | undefined
  /** Calls `listener` with each draft from now on, until the function is called that it returns. */
  onDraft(listener: (draft: string) => void): () => void
  sent(line: string): void
  /** A session ends with this unsent. Resolves once all is stored, or the store has refused it. */
  left(draft: string): Promise<void>
  /** To be called once all sessions have ended and all is stored. */
  close(): void
}

/** What lines are kept with: of whoever turns their option `history` off, nothing. */
export interface KeptLinesParts {
  readonly store: Omit<TypedStore, 'forget'>
  readonly preferences: Pick<Preferences, 'open'>
  readonly clock: Clock & Alarm
  readonly log: Log
}

/** How what people typed is stored as soon as it can be, for all of them. */
export interface TypedWrites {
  readonly lines: NewestWrites<PersonId>
  readonly drafts: NewestWrites<PersonId>
}

const LIMITS: TypedLimits = { lines: 200, characters: 65_536 }
/** Longer lines are pastes, and nobody looks for them by their letters; in UTF-16 units. */
const MAX_LINE_UNITS = 4_000
/** Of a longer draft the beginning is kept. */
const MAX_DRAFT_UNITS = 16_384
const DRAFT_DAYS = 7

/** `at`: when it was left, or read; in milliseconds since the epoch. */
interface KeptDraft {
  readonly text: string
  readonly at: number
}

export function createKeptLines(
  person: Person,
  { store, preferences, clock, log }: KeptLinesParts,
  writes: TypedWrites,
): KeptLines {
  const { id } = person
  let lines: readonly string[] = []
  let draft: KeptDraft | undefined
  let isWanted = true
  let isClosed = false
  let options: OpenPreferences | undefined
  const pending = createPendingLines({
    person: id,
    store: (added) => store.addLines(id, added, LIMITS),
    writes: writes.lines,
    most: LIMITS.lines,
    alarm: clock,
  })
  /** Those whose sessions are open. */
  const listeners = new Set<(draft: string) => void>()
  const oldest = (): number => clock.now() - DRAFT_DAYS * DAY_MS

  async function read(): Promise<void> {
    options = await preferences.open(person)
    if (isClosed) return options.close()
    options.onChange((changed) => changed === 'history' && follow())
    follow()
    if (!isWanted) return
    try {
      const [before, left] = await Promise.all([store.lines(id), store.draft(id, oldest())])
      // They may have wanted it no more while it was read.
      if (!isWanted) return
      lines = [...before, ...lines]
      draft ??= left === undefined ? undefined : { text: left, at: clock.now() }
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason }, 'what somebody typed before could not be read')
    }
  }

  /** It may be set through another server, too. */
  function follow(): void {
    isWanted = options?.now().history !== 'off'
    if (isWanted) return
    lines = []
    pending.drop()
    writes.drafts.drop(id)
    draft = undefined
  }

  function remember(line: string): void {
    if (!isWanted || holdsSecret(line) || lines.at(-1) === line) return
    lines = [...lines, line].slice(-LIMITS.lines)
    pending.add(line)
  }

  /** One draft is offered at a time; the one before it becomes one of the lines. */
  async function keepDraft(text: string): Promise<void> {
    const before = draft?.text
    if (before !== undefined && !text.includes(before)) remember(before)
    const kept = { text, at: clock.now() }
    draft = kept
    for (const listener of listeners) if (text !== before) listener(text)
    await writes.drafts.write(id, async () => {
      const lost = await store.keepDraft(id, kept, oldest())
      if (lost === undefined || lost === before) return
      if (lost === text && draft === kept) draft = undefined
      if (lost === text || !text.includes(lost)) remember(lost)
    })
  }

  return {
    ready: read(),
    lines: () => lines,
    draft: () => (draft && draft.at >= oldest() ? draft.text : undefined),
    onDraft(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    sent(line) {
      if (draft) {
        const { text, at } = draft
        draft = undefined
        if (!line.includes(text)) remember(text)
        void writes.drafts.write(id, () => store.dropDraft(id, at))
      }
      if (line.length <= MAX_LINE_UNITS) remember(line)
    },
    async left(unsent) {
      if (isWanted && unsent.trim() !== '' && !holdsSecret(unsent))
        await keepDraft(unsent.slice(0, MAX_DRAFT_UNITS).toWellFormed())
      await pending.storeNow()
    },
    close() {
      isClosed = true
      options?.close()
    },
  }
}
