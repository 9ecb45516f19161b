import type { Draft } from './input/edit-commands.ts'

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
