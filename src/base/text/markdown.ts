/** Special characters in CommonMark, GitHub's dialect and dialects with formulas. */
const SPECIAL = /[\\`*_[\]{}<>#~|&$^]/gu
/** Beginnings of lists, rules, underlined headings and definitions. */
const LINE_BEGINNING = /^(?:[-+=:]|\d+(?=[.)]))/u
/** Parts of texts that dialects turn into links. */
const LINK = /:(?=\/\/)|(?<=www)\.|(?<=\S)@/giu

/**
 * Escapes a sanitized text as a paragraph without markup or HTML
 * (spec.commonmark.org/0.31.2/#backslash-escapes). Later lines get `indent`. Leading spaces become
 * non-breaking, so that they start no code block.
 */
export function markdownText(text: string, indent: string): string {
  const [first = '', ...later] = text.split('\n').map(withoutMarks)
  return later.reduce(
    (before, line) => before + lineEnd(before, line) + (line === '' ? '' : indent + withoutBeginning(line)),
    first,
  )
}

const withoutMarks = (line: string): string =>
  line
    .trimEnd()
    .replace(SPECIAL, '\\$&')
    .replace(LINK, '\\$&')
    .replace(/^[ \t]+/u, (blank) => blank.replaceAll('\t', '    ').replaceAll(' ', '\u00a0'))

/** Escapes the sign after a number, because a digit cannot be escaped. */
const withoutBeginning = (line: string): string =>
  line.replace(LINE_BEGINNING, (beginning) => (/\d/.test(beginning) ? `${beginning}\\` : `\\${beginning}`))

/** Ends a line with a hard break: a backslash, except before an empty line, where it would be text. */
const lineEnd = (before: string, line: string): string =>
  line === '' || before.endsWith('\n') ? '\n' : '\\\n'
