// A migration's SQL as the lists of what expands read it: one thing after another, without what is said in texts.

/** Comments, and what is quoted: texts, what functions do, names. */
const UNREAD = /--.*|\/\*[^]*?\*\/|\$(\w*)\$[^]*?\$\1\$|\bE'(?:[^\\']|\\.|'')*'|'(?:[^']|'')*'|"[^"]*"/gi

/** Texts on which it hangs what the statement around them does. */
const READ: ReadonlySet<string> = new Set(["'application_name'", "'SELECT ($1).%I'"])

/** Without comments and without what stands in texts (`''`) and functions (`$$`), blanks as one. */
export const statementsOf = (sql: string): readonly string[] =>
  sql
    .replaceAll(UNREAD, emptied)
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

function emptied(part: string): string {
  if (/^(--|\/\*)/.test(part)) return ' '
  if (part.startsWith('"')) return part
  if (part.startsWith('$')) return '$$'
  return READ.has(part) ? part : "''"
}

/** What the functions in it do: the steps of each. */
export const bodiesIn = (sql: string): readonly (readonly string[])[] =>
  [...sql.matchAll(UNREAD)]
    .map(([part]) => part)
    .filter((part) => part.startsWith('$'))
    .map((part) => statementsOf(part.replaceAll(/^\$\w*\$|\$\w*\$$/g, '')))
