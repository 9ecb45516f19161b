/**
 * markdown/ reads the Markdown of a reply into units while it is written, in time proportional to what is
 * new. It must not know rows, colours or widths, nor when anything is shown.
 */
import { codePointAt } from '../../lib/text/characters.ts'
import { type GoOn, type Leaf, type MarkdownTools, MAX_PIECE_UNITS, readBlocks, type Unit } from './blocks.ts'

/** A longer block is cut, and its rest is read as if it went on. */
const WINDOW_UNITS = 4_000

const NOTHING: GoOn = { before: '', units: 0 }

/** However the text is cut into pieces, its finished units are the same. */
export class GrowingMarkdown {
  readonly #units: Unit[] = []
  readonly #tools: MarkdownTools
  #tail = ''
  #gap = false
  /** Lines of a block that was cut. */
  #goOn = NOTHING
  /** Units of the first block in the tail that are in `units` already, and those of `#goOn`. */
  #taken = 0

  constructor(tools: MarkdownTools) {
    this.#tools = tools
  }

  /** The finished ones; the array grows. */
  get units(): readonly Unit[] {
    return this.#units
  }

  /** `text` must be clean. */
  add(text: string): void {
    this.#tail += text
    if (this.#units.length === 0 && this.#taken === 0) this.#tail = this.#tail.replace(/^\s*\n/, '')
    while (this.#settle(false));
  }

  finish(): void {
    this.#tail = this.#tail.trimEnd()
    while (this.#settle(true));
  }

  open(): readonly Unit[] {
    const { leaves, lines } = this.#read(this.#tail)
    const last = leaves.length - 1
    return unitsOf(leaves.map((leaf, index) => (index < last ? leaf : asOpen(leaf, lines)))).slice(
      this.#taken,
    )
  }

  #read(source: string) {
    const before = this.#goOn.before === '' ? [] : this.#goOn.before.split('\n')
    const lines = [...before, ...source.split('\n')]
    return { ...readBlocks(lines, this.#gap, this.#tools), lines, added: before.length }
  }

  #cut(end: number, leaves: readonly Leaf[], next: GoOn, isGap: boolean): void {
    this.#units.push(...unitsOf(leaves).slice(this.#taken))
    this.#tail = this.#tail.slice(end)
    this.#goOn = next
    this.#taken = next.units
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
      this.#cut(end, leaves, lastLeaf.isClosed ? NOTHING : (lastLeaf.goOn ?? NOTHING), false)
      return this.#tail !== ''
    }
    const finished = finishedOf(leaves)
    this.#units.push(...finished.slice(this.#taken))
    this.#taken = Math.max(this.#taken, finished.length)
    return false
  }
}

const unitsOf = (leaves: readonly Leaf[]): readonly Unit[] => leaves.flatMap((leaf) => leaf.units)

const finishedOf = (leaves: readonly Leaf[]): readonly Unit[] =>
  leaves.flatMap((leaf) => (leaf.isClosed ? leaf.units : leaf.units.slice(0, leaf.finished)))

const isEmpty = (line: string): boolean => /^[\s>]*$/.test(line)

/** What keeps its meaning: whole lines, and a line that is too long to become anything else. */
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
 * A table is not shown before its widths are known, nor a row of it before it is whole. No note says so: a
 * resize could leave it on the screen, and the status line shows that the model writes.
 */
function asOpen(leaf: Leaf, lines: readonly string[]): Leaf {
  const [first] = leaf.units
  if (first?.body.type !== 'row') return leaf
  if (leaf.goOn) return lines.at(-1) === '' ? leaf : { ...leaf, units: leaf.units.slice(0, -1) }
  return { ...leaf, units: [] }
}
