export type Report = (line: number, message: string) => void

/** One `@word rest` of a file, with the lines that continue it. */
export interface Annotation {
  /** The word with its `@`. */
  readonly word: string
  /** Continuation lines joined with a space; blanks at both ends are dropped. */
  readonly text: string
  /** 1-based. */
  readonly line: number
}

/**
 * Splits a `.tool` file into its description, up to the first line that begins with `@`, and its annotations.
 * Other lines continue the annotation above up to a blank line; `loose` lists the later lines by number.
 */
export function splitAnnotations(text: string): {
  readonly description: string
  readonly annotations: readonly Annotation[]
  readonly loose: readonly number[]
} {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const found = lines.findIndex(beginsAnnotation)
  const start = found === -1 ? lines.length : found
  const blocks: { first: string; rest: string[]; line: number }[] = []
  const loose: number[] = []
  let open = false
  for (const [index, line] of lines.entries()) {
    if (index < start) continue
    if (beginsAnnotation(line)) blocks.push({ first: line.trim(), rest: [], line: index + 1 })
    else if (line.trim() !== '' && open) blocks.at(-1)?.rest.push(line.trim())
    else if (line.trim() !== '') loose.push(index + 1)
    open = line.trim() !== '' && (open || beginsAnnotation(line))
  }
  const description = lines.slice(0, start).map((line) => line.trimEnd())
  return { description: description.join('\n').trim(), annotations: blocks.map(toAnnotation), loose }
}

const beginsAnnotation = (line: string): boolean => line.trimStart().startsWith('@')

function toAnnotation(block: { first: string; rest: readonly string[]; line: number }): Annotation {
  const [, word = '', text = ''] = /^(\S+)\s*(.*)$/s.exec(block.first) ?? []
  return { word, text: [text, ...block.rest].filter((part) => part !== '').join(' '), line: block.line }
}
