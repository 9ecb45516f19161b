/**
 * markdown/ reads the Markdown of a reply into units, which are drawn one by one, while the reply is written. All it does
 * takes time in proportion to what is new, whatever a model writes.
 *
 * It must not know rows, colours or widths, nor when anything is shown.
 */
import { codePointAt } from '../../lib/text/characters.ts'
import { counted } from '../../lib/plural.ts'
import { type GoOn, type Leaf, type MarkdownTools, MAX_PIECE_UNITS, readBlocks, type Unit } from './blocks.ts'

/** A text that grows at its end. However it is cut into pieces, its finished units are the same. */
export interface GrowingMarkdown {
  /** `text` must be clean. */
  add(text: string): void
  /** Nothing more comes. */
  finish(): void
  /** What is finished, in order; the array grows. */
  readonly units: readonly Unit[]
  /** What is not, as it would be if nothing more came. */
  open(): readonly Unit[]
}

/** So many UTF-16 units are read at once. A block that is longer is cut, and its rest is read as if it went on. */
const WINDOW_UNITS = 4_000

const NOTHING: GoOn = { before: '', units: 0 }

export function createGrowingMarkdown(tools: MarkdownTools): GrowingMarkdown {
  const units: Unit[] = []
  let tail = ''
  let gap = false
  /** Lines of a block that was cut. */
  let goOn = NOTHING
  /** Units of the first block in the tail that are in `units` already, and those of `goOn`. */
  let taken = 0

  function read(source: string) {
    const before = goOn.before === '' ? [] : goOn.before.split('\n')
    const lines = [...before, ...source.split('\n')]
    return { ...readBlocks(lines, gap, tools), lines, added: before.length }
  }

  /** Ends the first blocks of the tail, which are these units of source. */
  function cut(end: number, leaves: readonly Leaf[], next: GoOn, isGap: boolean): void {
    units.push(...unitsOf(leaves).slice(taken))
    tail = tail.slice(end)
    goOn = next
    taken = next.units
    gap = isGap
  }

  /** Takes what is finished out of the tail. True if there may be more. */
  function settle(isOver: boolean): boolean {
    const isLong = tail.length > WINDOW_UNITS
    const source = isLong ? tail.slice(0, cutAt(tail)) : tail.slice(0, isOver ? tail.length : stableEnd(tail))
    const { leaves, tops, lines, added } = read(source)
    const last = tops.at(-1)
    if (!last || leaves.length === 0) {
      if (source === '') return false
      cut(source.length, leaves, NOTHING, units.length > 0 || source.trim() !== '')
      return tail !== ''
    }
    if (tops.length > 1 && last.line > added) {
      const end = lines.slice(added, last.line).join('\n').length + 1
      cut(end, leaves.slice(0, last.leaf), NOTHING, isEmpty(lines[last.line - 1] ?? ''))
      return true
    }
    const lastLeaf = leaves.at(-1)
    if (isLong || isOver) {
      cut(source.length, leaves, lastLeaf?.isClosed === false ? (lastLeaf.goOn ?? NOTHING) : NOTHING, false)
      return tail !== ''
    }
    const finished = finishedOf(leaves)
    units.push(...finished.slice(taken))
    taken = Math.max(taken, finished.length)
    return false
  }

  return {
    units,
    add(text) {
      tail += text
      if (units.length === 0 && taken === 0) tail = tail.replace(/^\s*\n/, '')
      while (settle(false));
    },
    finish() {
      tail = tail.trimEnd()
      while (settle(true));
    },
    open() {
      const { leaves, lines } = read(tail)
      return unitsOf(
        leaves.flatMap((leaf, index) => (index < leaves.length - 1 ? leaf : asOpen(leaf, lines))),
      ).slice(taken)
    },
  }
}

const unitsOf = (leaves: readonly Leaf[]): readonly Unit[] => leaves.flatMap((leaf) => leaf.units)

const finishedOf = (leaves: readonly Leaf[]): readonly Unit[] =>
  leaves.flatMap((leaf) => (leaf.isClosed ? leaf.units : leaf.units.slice(0, leaf.finished)))

const isEmpty = (line: string): boolean => /^[\s>]*$/.test(line)

/** The end of what keeps its meaning whatever comes: whole lines, and a line that is too long to become anything else. */
function stableEnd(text: string): number {
  const lines = text.lastIndexOf('\n') + 1
  return text.length - lines > MAX_PIECE_UNITS ? text.length : lines
}

/** Where a block is cut that is too long: behind a line, else behind a word. */
function cutAt(text: string): number {
  const window = text.slice(0, WINDOW_UNITS)
  const line = stableEnd(window)
  if (line > WINDOW_UNITS / 4 && line < WINDOW_UNITS) return line
  const word = window.lastIndexOf(' ') + 1
  return word > WINDOW_UNITS / 4 ? word : codePointAt(text, WINDOW_UNITS)
}

/** A table is not shown before its widths are known, nor a row of it before it is whole. */
function asOpen(leaf: Leaf, lines: readonly string[]): Leaf {
  const [first] = leaf.units
  if (first?.body.type !== 'row') return leaf
  if (leaf.goOn) return lines.at(-1) === '' ? leaf : { ...leaf, units: leaf.units.slice(0, -1) }
  const text = `(a table: ${counted(leaf.units.length - 1, 'row')} so far)`
  return { ...leaf, units: [{ ...first, body: { type: 'note', text } }] }
}
