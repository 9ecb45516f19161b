/**
 * The words of a text by which tools are found, in lower case: `readFile`, `read_file` and `read-file` are `read` and `file`,
 * and `srv7` is also `srv` and `7`. Numbers have no zeros before them. Words that stand in every sentence are left out.
 */
export const searchWords = (text: string): readonly string[] =>
  [...text.normalize('NFKC').matchAll(RUN)]
    .flatMap(([run]) => (WITHOUT_BLANKS.test(run) ? pairsOf(run) : partsOf(run)))
    .filter((word) => !COMMON.has(word))

const RUN = /[\p{L}\p{M}\p{N}]+/gu

/** Scripts that part no words. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Each two neighbours: where words are not parted, these come near to them. */
function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run.toLowerCase())
  if (characters.length < 2) return characters
  return characters.slice(1).map((second, index) => `${characters[index] ?? ''}${second}`)
}

/** A change from small letters to a capital, the last capital before small ones (`HTTPServer`), and where digits begin or end. */
const BORDER =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=\p{L})|(?<=\p{L}\p{M}*)(?=\p{N})/u

function partsOf(run: string): readonly string[] {
  const parts = run.split(BORDER).map(plain)
  return parts.length === 1 ? parts : [...parts, plain(run)]
}

const plain = (word: string): string => word.toLowerCase().replace(/^0+(?=\p{N})/u, '')

/** They tell nothing of a tool. */
const COMMON: ReadonlySet<string> = new Set(
  `a all an and any are as at be by can do does for from give gives had has have how i if in into is it its me my of on or our
  please should so some than that the their them then there these they this to us use used uses using want was we what when
  where which who will with would you your`.split(/\s+/u),
)
