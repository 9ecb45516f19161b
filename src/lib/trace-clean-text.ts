import { isPlain, PASSES, type Pass } from './clean-text.ts'

/** A cleaned text, and where each part of it was before. Places count UTF-16 units. */
export interface TracedText {
  readonly text: string
  /** Where the unit at `index` begins in the original; its end at the end of the text. What was dropped before it is not in it. */
  startOf(index: number): number
  /** Where the unit at `index` ends in the original: after both characters of a CRLF that became a line feed. */
  endOf(index: number): number
}

/** `cleanText`, with the way back. */
export function traceCleanText(original: string): TracedText {
  if (isPlain(original)) return { text: original, startOf: (index) => index, endOf: (index) => index + 1 }
  const whole: Units = {
    text: original.toWellFormed(),
    starts: numbersFrom(0, original.length),
    ends: numbersFrom(1, original.length),
  }
  const { text, starts, ends } = PASSES.reduce(runPass, whole)
  return {
    text,
    startOf: (index) => starts[index] ?? original.length,
    endOf: (index) => ends[index] ?? original.length,
  }
}

/** A text with the beginning and the end of each of its units in the original. */
interface Units {
  readonly text: string
  readonly starts: Int32Array
  readonly ends: Int32Array
}

function numbersFrom(first: number, length: number): Int32Array {
  const numbers = new Int32Array(length)
  for (let at = 0; at < length; at++) numbers[at] = first + at
  return numbers
}

function runPass(units: Units, { pattern, becomes }: Pass): Units {
  const { text, starts, ends } = units
  if (text.search(pattern) === -1) return units
  const parts: string[] = []
  const newStarts = new Int32Array(text.length)
  const newEnds = new Int32Array(text.length)
  let length = 0
  const keep = (from: number, to: number): void => {
    parts.push(text.slice(from, to))
    newStarts.set(starts.subarray(from, to), length)
    newEnds.set(ends.subarray(from, to), length)
    length += to - from
  }
  let at = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, group = ''] = match
    const end = match.index + whole.length
    keep(at, match.index)
    if (becomes === '$1') keep(match.index, match.index + group.length)
    if (becomes === '\n') {
      parts.push('\n')
      newStarts[length] = starts[match.index] ?? 0
      newEnds[length++] = ends[end - 1] ?? 0
    }
    at = end
  }
  keep(at, text.length)
  return {
    text: parts.join(''),
    starts: newStarts.subarray(0, length),
    ends: newEnds.subarray(0, length),
  }
}
