/** What cannot raise, with whatever value, and changes nothing; and words that stand before a parenthesis. */
const CALLS: ReadonlySet<string> = new Set(
  `clock_timestamp coalesce count left length lower max md5 min now string_agg tell_change tell_news upper
   and by case distinct else exists filter having in not on or perform select then values when where`.split(
    /\s+/,
  ),
)

/** These two, with what they are given. */
const KNOWN_CALLS = /\bcurrent_setting\('application_name'\)|\bpg_notify\('', ''\)/gi

/** What takes, locks or makes something, finds more than one row where one is wanted, or reads a text as something else. */
const HARMFUL =
  /\b(WITH|INTO|FOR|INSERT|UPDATE|DELETE|MERGE|CAST|LIKE|ILIKE|SIMILAR|AT|LIMIT|OFFSET|FETCH)\b|\( ?(SELECT|TABLE|VALUES)\b/i

/** No arithmetic, which divides by nothing and has too large numbers, and no casts but to text. */
const PLAIN = /^(?:[\w\s.,()"'=<>]|\|\||::text\b|\[\d\]|\(\*\))*$/i

/** After any other word a text is read as what the word says: `int 'x'`. */
const BEFORE_TEXTS: ReadonlySet<string> = new Set('and else in or perform return select then when'.split(' '))

/** True of an expression, or a query, that reads what is there and does nothing else, and calls nothing but what is known or `own`. */
export function onlyReads(expression: string, own: ReadonlySet<string>): boolean {
  const rest = expression.replaceAll(KNOWN_CALLS, '1')
  return PLAIN.test(rest) && !HARMFUL.test(rest) && !hasTypedText(rest) && callsOnlyKnown(rest, own)
}

/** True where it calls nothing but what is known or `own`. */
export const callsOnlyKnown = (statement: string, own: ReadonlySet<string>): boolean =>
  [...statement.replaceAll(KNOWN_CALLS, '1').matchAll(/([\w."\]]+) ?\(/g)].every(
    ([, name = '']) => CALLS.has(name.toLowerCase()) || own.has(name),
  )

const hasTypedText = (expression: string): boolean =>
  [...expression.matchAll(/([\w"\]]+) ?''/g)].some(([, word = '']) => !BEFORE_TEXTS.has(word.toLowerCase()))
