import type { RunningWork } from '../ports.ts'
import type { Draft } from '../input/edit-commands.ts'

/** Says in words, once each, that a model begins to think or has to wait: for those who are shown no status line. */
interface SpokenWork {
  /** The lines that are new since it was last asked. */
  lines(running: readonly RunningWork[]): readonly string[]
}

export function createSpokenWork(): SpokenWork {
  /** How many quarters of a call were said to be done. */
  let quarters: ReadonlyMap<string, number> = new Map()
  /** What was said of each. */
  let said: ReadonlyMap<string, string> = new Map()

  /** Says of a tool that tells how far it is each quarter that it has reached, however often it tells. */
  function further(running: readonly RunningWork[]): readonly string[] {
    const before = quarters
    const now = running.flatMap((work) =>
      work.progress?.share === undefined ? [] : [{ work, quarter: Math.floor(work.progress.share * 4) }],
    )
    quarters = new Map(now.map(({ work, quarter }) => [keyOf(work), quarter]))
    return now.flatMap(({ work, quarter }) =>
      quarter > (before.get(keyOf(work)) ?? 0) ? [`-- ${work.doing} is ${quarter * 25}% done`] : [],
    )
  }

  return {
    lines(running) {
      const before = said
      said = new Map(running.map((work) => [work.id, sentence(work)]))
      const begun = [...said].filter(([id, text]) => text !== '' && before.get(id) !== text)
      return [...begun.map(([, text]) => `-- ${text}`), ...further(running)]
    },
  }
}

/** A person's own tool run is in the log, in words, as it begins. */
function sentence({ who, doing }: RunningWork): string {
  if (!who.startsWith('@')) return ''
  const name = who.slice(1)
  return doing === 'waiting' ? `${name} waits until other models are done` : `${name} is thinking`
}

/** A turn may have several calls, one after the other. */
const keyOf = ({ id, doing }: RunningWork): string => `${id} ${doing}`

/** Says in words what a search for an older line comes to: for those who hear what is written, once. */
interface SpokenSearch {
  /** What is to be said of a search as the line editor would draw it; empty for nothing. */
  changed(search: Draft): string
  /** What was found and is not said yet; it is then. */
  found(): string | undefined
  isOpen(): boolean
  /** The search is over. */
  end(): void
}

const SEARCHING =
  'type a part of an older line; Ctrl-R tells what was found, then an older one; End takes it, Enter sends it, Ctrl-G gives up'

export function createSpokenSearch(): SpokenSearch {
  let shown: Draft | undefined
  let isUntold = false

  function changed(next: Draft): string {
    const before = shown
    const [query, queryBefore] = [queryOf(next), before && queryOf(before)]
    shown = next
    if (!before) return SEARCHING
    if (query !== queryBefore) return begun(next, isMiss(before))
    isUntold = false
    if (isMiss(next)) return isMiss(before) ? '' : `${missed(next)}; it is still: ${next.text}`
    return next.text === before.text ? '' : `found: ${next.text}`
  }

  /** Of another query only that nothing has it is said at once: a line for each letter would be too much to hear. */
  function begun(next: Draft, wasMiss: boolean): string {
    isUntold = queryOf(next) !== '' && !isMiss(next)
    if (!isMiss(next) || wasMiss) return ''
    return next.text === '' ? missed(next) : `${missed(next)}; Enter would send: ${next.text}`
  }

  return {
    changed,
    found() {
      if (!shown || !isUntold) return undefined
      isUntold = false
      return `found: ${shown.text}`
    },
    isOpen: () => shown !== undefined,
    end() {
      shown = undefined
      isUntold = false
    },
  }
}

/** `search "uni": ` */
const queryOf = ({ prompt = '' }: Draft): string => /"(.*)": $/s.exec(prompt)?.[1] ?? ''

const isMiss = ({ prompt = '' }: Draft): boolean => prompt.startsWith('no ')

const missed = ({ prompt = '' }: Draft): string => prompt.replace(/: $/, '')
