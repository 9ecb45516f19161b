import type { Unit } from './unit.ts'

/** A block without blocks in it. */
export interface Leaf {
  /** Indexes of its first line and of the one behind its last. */
  readonly from: number
  readonly to: number
  readonly units: readonly Unit[]
  /** How many of the units are finished even if the block goes on. */
  readonly finished: number
  /** True where no further line can belong to it. */
  readonly isClosed: boolean
  /** An empty line does not close it. */
  readonly isFence?: true
  /** What makes a reader of the next lines go on with this block; absent where nothing needs to. */
  readonly goOn?: GoOn
}

export interface GoOn {
  /** Lines to be read before the next ones. */
  readonly before: string
  /** Units of these lines. */
  readonly units: number
}

/** The blocks of a text. */
export interface Blocks {
  readonly leaves: readonly Leaf[]
  /** Where its outermost blocks, and the items of its outermost lists, begin. */
  readonly tops: readonly Top[]
}

export interface Top {
  /** Its first leaf, as an index. */
  readonly leaf: number
  /** Its first line, as an index. */
  readonly line: number
}
