/** In CommonMark, GitHub's dialect and those with formulas. */
const SPECIAL = /[\\`*_[\]{}<>#~|&$^]/gu
/** Lists, rules, underlined headings and definitions. */
const LINE_BEGINNING = /^(?:[-+=:]|\d+(?=[.)]))/u
/** Dialects make links of these. */
const LINK = /:(?=\/\/)|(?<=www)\.|(?<=\S)@/giu

/**
 * Text as the content of a Markdown paragraph whose later lines are indented by `indent`: it is seen as it
 * is, and nothing in it is markup or HTML (spec.commonmark.org/0.31.2/#backslash-escapes). Leading spaces
 * become unbreakable, so that they make no code. The text must be clean.
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

/** A digit cannot be escaped; the sign behind it can. */
const withoutBeginning = (line: string): string =>
  line.replace(LINE_BEGINNING, (beginning) => (/\d/.test(beginning) ? `${beginning}\\` : `\\${beginning}`))

/** An empty line begins a new paragraph, and there a backslash would be a letter. */
const lineEnd = (before: string, line: string): string =>
  line === '' || before.endsWith('\n') ? '\n' : '\\\n'
