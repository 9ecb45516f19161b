import type { Log } from '../../chat/ports.ts'

type Listener = (text: string) => void

/** A listener, each time that it listens. */
interface Hearer {
  readonly listener: Listener
}

/** Who hears what. */
export interface Hearers {
  /** Under which subjects somebody hears something. */
  subjects(): readonly string[]
  /** Whether somebody hears something under this one. */
  has(subject: string): boolean
  /** Returns the function that ends it. */
  add(subject: string, listener: Listener): () => void
  /** Calls the listeners of this subject. A listener that throws costs the others nothing. */
  tell(subject: string, text: string): void
}

/** `first` and `last` are called when a subject gets its first listener, and when it has none any more. */
export function createHearers(
  log: Log,
  first: (subject: string) => void,
  last: (subject: string) => void,
): Hearers {
  const bySubject = new Map<string, Set<Hearer>>()

  function remove(subject: string, hearer: Hearer): void {
    const hearers = bySubject.get(subject)
    if (!hearers?.delete(hearer) || hearers.size > 0) return
    bySubject.delete(subject)
    last(subject)
  }

  function call({ listener }: Hearer, subject: string, text: string): void {
    try {
      listener(text)
    } catch (error) {
      log.error({ error, subject }, 'a listener of the bus threw')
    }
  }

  return {
    subjects: () => [...bySubject.keys()],
    has: (subject) => bySubject.has(subject),
    add(subject, listener) {
      const hearers = bySubject.get(subject) ?? new Set()
      const hearer = { listener }
      hearers.add(hearer)
      bySubject.set(subject, hearers)
      if (hearers.size === 1) first(subject)
      return () => remove(subject, hearer)
    },
    tell(subject, text) {
      const hearers = bySubject.get(subject)
      // An earlier listener may end a later one.
      for (const hearer of [...(hearers ?? [])]) if (hearers?.has(hearer)) call(hearer, subject, text)
    },
  }
}
