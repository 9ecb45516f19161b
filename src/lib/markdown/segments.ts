/** A stretch of a text that can be read by itself: as Markdown, or, where a line is too long for that, as it is. */
export interface MarkdownSegment {
  readonly text: string
  readonly isMarkdown: boolean
}

/** UTF-16 units after which a segment ends at the next empty line, and those after which it ends at the next line. */
const WANTED_UNITS = 1_000
const MOST_UNITS = 2_000

const FENCE = /^[ >]*(`{3,}|~{3,})/

/**
 * A text in stretches of about `WANTED_UNITS`, so that none takes long to read. Most texts are one. A longer one is cut
 * between blocks where it has empty lines; what is cut inside a block of code goes on as code.
 */
export function* markdownSegments(text: string): Generator<MarkdownSegment, void, void> {
  let lines: string[] = []
  let units = 0
  let fence = ''

  function take(end: readonly string[] = []): readonly MarkdownSegment[] {
    const segment = [...lines, ...end].join('\n')
    lines = []
    units = 0
    return segment.trim() === '' ? [] : [{ text: segment, isMarkdown: true }]
  }

  for (const line of text.split('\n')) {
    if (line.length > MOST_UNITS) {
      yield* take()
      yield { text: line, isMarkdown: false }
      continue
    }
    if (units + line.length > MOST_UNITS) {
      yield* take(fence === '' ? [] : [fence])
      if (fence !== '') lines.push(fence)
    }
    lines.push(line)
    units += line.length + 1
    fence = fenceAfter(line, fence)
    if (fence === '' && units > WANTED_UNITS && line.trim() === '') yield* take()
  }
  yield* take()
}

/** The mark of the block of code that is open after a line; empty where none is. */
function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1] ?? ''
  if (open === '') return mark
  return mark.startsWith(open) && line.trimEnd().endsWith(mark) ? '' : open
}
