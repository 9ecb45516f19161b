/** Which words of a command are text and nothing else, as a `.tool` file says it. */
export interface Positions {
  /** Options whose value is text: in the next word, after an `=`, or glued to a letter. */
  readonly values: readonly string[]
  /** Options that give the command its pattern; without any of them its first operand is the pattern. */
  readonly pattern?: readonly string[]
}

/**
 * What of each word of a command, behind its program, may be an option or a path; undefined for a word that is text. The
 * words are read as getopt_long(3) reads them, operands among the options too: `--` ends the options, letters may
 * stand together, and a long option may be cut where it can still be told.
 */
export function checkedParts(
  words: readonly string[],
  { values, pattern }: Positions,
): readonly (string | undefined)[] {
  const parts: (string | undefined)[] = []
  let operands = false
  let isValue = false
  let hasPattern = pattern === undefined
  let firstOperand: number | undefined
  for (const [at, word] of words.entries()) {
    if (isValue) {
      isValue = false
      parts.push(undefined)
    } else if (!operands && word === '--') {
      operands = true
      parts.push(word)
    } else if (operands || !/^-./.test(word)) {
      firstOperand ??= at
      parts.push(word)
    } else {
      const option = findOption(word, values)
      isValue = option?.part === word
      hasPattern ||= option?.names.some((name) => pattern?.includes(name)) ?? false
      parts.push(option?.part ?? word)
    }
  }
  return parts.map((part, at) => (at === firstOperand && !hasPattern ? undefined : part))
}

/** An option in a word. */
interface Found {
  /** The word up to its end; all of it if no value follows in it. */
  readonly part: string
  /** What it may be the beginning of. */
  readonly names: readonly string[]
}

function findOption(word: string, options: readonly string[]): Found | undefined {
  if (options.includes(word)) return { part: word, names: [word] }
  if (word.startsWith('--')) {
    const [part = ''] = word.split('=', 1)
    const names = options.filter((option) => option.startsWith(part))
    return names.length > 0 ? { part, names } : undefined
  }
  const letters = /^-([A-Za-z0-9]*)/.exec(word)?.[1] ?? ''
  const at = Array.from(letters).findIndex((letter) => options.includes(`-${letter}`))
  return at === -1 ? undefined : { part: word.slice(0, at + 2), names: [`-${letters.charAt(at)}`] }
}
