import type { RunningWork } from '../ports.ts'
import type { Draft } from '../input/edit-commands.ts'

/** Says once that a model begins to think or to wait, and each quarter of a tool's progress. */
export class SpokenWork {
  #quarters: ReadonlyMap<string, number> = new Map()
  #said: ReadonlyMap<string, string> = new Map()

  lines(running: readonly RunningWork[]): readonly string[] {
    const before = this.#said
    this.#said = new Map(running.map((work) => [work.id, sentence(work)]))
    const begun = [...this.#said].filter(([id, text]) => text !== '' && before.get(id) !== text)
    return [...begun.map(([, text]) => `-- ${text}`), ...this.#progress(running)]
  }

  #progress(running: readonly RunningWork[]): readonly string[] {
    const before = this.#quarters
    const now = running.flatMap((work) =>
      work.progress?.share === undefined ? [] : [{ work, quarter: Math.floor(work.progress.share * 4) }],
    )
    this.#quarters = new Map(now.map(({ work, quarter }) => [keyOf(work), quarter]))
    return now.flatMap(({ work, quarter }) =>
      quarter > (before.get(keyOf(work)) ?? 0) ? [`-- ${work.doing} is ${quarter * 25}% done`] : [],
    )
  }
}

/** Returns '' for a tool that a person runs, which the log shows. */
function sentence({ who, doing, requester }: RunningWork): string {
  if (!who.startsWith('@')) return ''
  const name = who.slice(1)
  return doing === 'waiting'
    ? `${name} waits until other models are done`
    : `${name} is thinking, for ${requester}`
}

/** A turn may have several calls, one after the other. */
const keyOf = ({ id, doing }: RunningWork): string => `${id} ${doing}`

const SEARCHING =
  'type a part of an older line; Ctrl-R tells what was found, then an older one; End takes it, Enter sends it, Ctrl-G gives up'

/** Says once what a search for an older line has found. */
export class SpokenSearch {
  #shown: Draft | undefined
  #hasUnsaidMatch = false

  get isOpen(): boolean {
    return this.#shown !== undefined
  }

  change(next: Draft): string {
    const before = this.#shown
    this.#shown = next
    if (!before) return SEARCHING
    if (queryOf(next) !== queryOf(before)) return this.#newQuery(next, isMiss(before))
    this.#hasUnsaidMatch = false
    if (isMiss(next)) return isMiss(before) ? '' : `${missed(next)}; it is still: ${next.text}`
    return next.text === before.text ? '' : `found: ${next.text}`
  }

  found(): string | undefined {
    if (!this.#shown || !this.#hasUnsaidMatch) return undefined
    this.#hasUnsaidMatch = false
    return `found: ${this.#shown.text}`
  }

  end(): void {
    this.#shown = undefined
    this.#hasUnsaidMatch = false
  }

  /** Only a miss is said at once: a line for each letter would be too much to hear. */
  #newQuery(next: Draft, wasMiss: boolean): string {
    this.#hasUnsaidMatch = queryOf(next) !== '' && !isMiss(next)
    if (!isMiss(next) || wasMiss) return ''
    return next.text === '' ? missed(next) : `${missed(next)}; Enter would send: ${next.text}`
  }
}

const queryOf = ({ prompt = '' }: Draft): string => /"(.*)": $/s.exec(prompt)?.[1] ?? ''

const isMiss = ({ prompt = '' }: Draft): boolean => prompt.startsWith('no ')

const missed = ({ prompt = '' }: Draft): string => prompt.replace(/: $/, '')
