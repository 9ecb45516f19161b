/**
 * markdown/ parses the Markdown of a reply into units while the reply arrives, in time proportional to the
 * new text. It must not know rows, colours or widths, nor when anything is shown.
 */
import { codePointAt } from '../../base/text/characters.ts'
import { type Continuation, endsFence, type Leaf, MAX_PIECE_UNITS, readBlocks, type Unit } from './blocks.ts'
import type { MarkdownTools } from './highlight.ts'

/** UTF-16 units after which an unfinished block is cut. The rest is parsed as its continuation. */
const WINDOW_UNITS = 4_000

const NOTHING: Continuation = { before: '', units: 0 }

/** The finished units do not depend on how the text is split into calls of `add`. */
export class GrowingMarkdown {
  readonly #units: Unit[] = []
  readonly #tools: MarkdownTools
  #tail = ''
  #gap = false
  #continuation = NOTHING
  /** How many units of the parsed tail to skip: units of `#continuation`, then units already in `units`. */
  #skipped = 0

  constructor(tools: MarkdownTools) {
    this.#tools = tools
  }

  /** The finished units. The array grows. */
  get units(): readonly Unit[] {
    return this.#units
  }

  /** `text` must be sanitized by `cleanText`. */
  add(text: string): void {
    this.#tail += text
    if (this.#units.length === 0 && this.#skipped === 0) this.#tail = this.#tail.replace(/^\s*\n/, '')
    while (this.#settle(false));
  }

  finish(): void {
    this.#tail = this.#tail.trimEnd()
    while (this.#settle(true));
  }

  open(): readonly Unit[] {
    const { leaves, lines } = this.#read(this.#tail)
    const last = leaves.length - 1
    return unitsOf(leaves.map((leaf, index) => (index < last ? leaf : hideUnready(leaf, lines)))).slice(
      this.#skipped,
    )
  }

  #read(source: string) {
    const before = this.#continuation.before === '' ? [] : this.#continuation.before.split('\n')
    const lines = [...before, ...source.split('\n')]
    return { ...readBlocks(lines, this.#gap, this.#tools), lines, added: before.length }
  }

  #cut(end: number, leaves: readonly Leaf[], next: Continuation, isGap: boolean): void {
    const units = unitsOf(leaves)
    const hasEnd = endsFence(units.at(-1))
    // The end of a fence that goes on comes later. At the end of a text it comes even if blank lines are cut.
    if (hasEnd && next !== NOTHING) units.pop()
    const isOwed = hasEnd && next === NOTHING && !endsFence(this.#units.at(-1))
    this.#units.push(...units.slice(isOwed ? Math.min(this.#skipped, units.length - 1) : this.#skipped))
    this.#tail = this.#tail.slice(end)
    this.#continuation = next
    this.#skipped = next.units
    this.#gap = isGap
  }

  #settle(isOver: boolean): boolean {
    const isLong = this.#tail.length > WINDOW_UNITS
    const end = isLong ? cutAt(this.#tail) : isOver ? this.#tail.length : stableEnd(this.#tail)
    const source = this.#tail.slice(0, end)
    const { leaves, tops, lines, added } = this.#read(source)
    const last = tops.at(-1)
    const lastLeaf = leaves.at(-1)
    if (!last || !lastLeaf) {
      if (source === '') return false
      this.#cut(end, leaves, NOTHING, this.#units.length > 0 || source.trim() !== '')
      return this.#tail !== ''
    }
    if (tops.length > 1 && last.line > added) {
      const ended = lines.slice(added, last.line).join('\n').length + 1
      this.#cut(ended, leaves.slice(0, last.leaf), NOTHING, isEmpty(lines[last.line - 1] ?? ''))
      return true
    }
    if (isLong || isOver) {
      const isLast = !isLong || lastLeaf.isClosed
      this.#cut(end, leaves, isLast ? NOTHING : (lastLeaf.continuation ?? NOTHING), false)
      return this.#tail !== ''
    }
    const finished = finishedOf(leaves)
    this.#units.push(...finished.slice(this.#skipped))
    this.#skipped = Math.max(this.#skipped, finished.length)
    return false
  }
}

const unitsOf = (leaves: readonly Leaf[]): Unit[] => leaves.flatMap((leaf) => leaf.units)

const finishedOf = (leaves: readonly Leaf[]): readonly Unit[] =>
  leaves.flatMap((leaf) => (leaf.isClosed ? leaf.units : leaf.units.slice(0, leaf.finished)))

const isEmpty = (line: string): boolean => /^[\s>]*$/.test(line)

/** Returns where the final parse ends: whole lines, and a last line too long to be anything but prose. */
function stableEnd(text: string): number {
  const lines = text.lastIndexOf('\n') + 1
  return text.length - lines > MAX_PIECE_UNITS ? text.length : lines
}

function cutAt(text: string): number {
  const window = text.slice(0, WINDOW_UNITS)
  const line = stableEnd(window)
  if (line > WINDOW_UNITS / 4 && line < WINDOW_UNITS) return line
  const word = window.lastIndexOf(' ') + 1
  return word > WINDOW_UNITS / 4 ? word : codePointAt(text, WINDOW_UNITS)
}

/**
 * Hides the end of an open fence, a table until its widths are known, and an incomplete row. Shows no note
 * instead: a resize could leave it on the screen, and the status line shows that the model writes.
 */
function hideUnready(leaf: Leaf, lines: readonly string[]): Leaf {
  const [first] = leaf.units
  if (!leaf.isClosed && endsFence(leaf.units.at(-1))) return { ...leaf, units: leaf.units.slice(0, -1) }
  if (first?.body.type !== 'row') return leaf
  if (leaf.continuation) return lines.at(-1) === '' ? leaf : { ...leaf, units: leaf.units.slice(0, -1) }
  return { ...leaf, units: [] }
}
