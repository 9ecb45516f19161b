/** Characters that begin or end something in CommonMark, in GitHub's dialect and in those with formulas. */
const SPECIAL = /[\\`*_[\]{}<>#~|&$^]/gu
/** What a line begins with that is a list, a rule, the underlining of a heading or a definition. */
const LINE_BEGINNING = /^(?:[-+=:]|\d+(?=[.)]))/u
/** What a dialect makes links of by itself. */
const LINK = /:(?=\/\/)|(?<=www)\.|(?<=\S)@/giu

/**
 * Text as the content of a Markdown paragraph whose later lines stand behind `indent`: a reader of the page sees the same
 * text, and nothing in it is a heading, a list, a quote, code, a link, a picture, emphasis or HTML
 * (https://spec.commonmark.org/0.31.2/#backslash-escapes). Spaces at the beginning of a line become unbreakable ones, so that
 * they are seen and make no code. The text must be clean, so that its lines end with LF alone.
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

/** Lines stay apart; an empty one begins a new paragraph, and there a backslash would be a letter. */
const lineEnd = (before: string, line: string): string =>
  line === '' || before.endsWith('\n') ? '\n' : '\\\n'
