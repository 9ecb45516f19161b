/** Which words of a command are text and nothing else, as a `.tool` file says it. */
export interface Positions {
  /** Options whose value is text: in the next word, after an `=`, or glued to a letter. */
  readonly values: readonly string[]
  /** Options that give the command its pattern; without any of them its first operand is the pattern. */
  readonly pattern?: readonly string[]
}

/**
 * What of each word of a command, behind its program, may be an option or a path; undefined for a word that is text. The
 * words are read as getopt_long(3) reads them, operands among the options too: `--` ends the options, and letters may
 * stand together. A long option that is cut may be another one in full, which takes no value: from there on no word is
 * taken for text.
 */
export function checkedParts(
  words: readonly string[],
  { values, pattern }: Positions,
): readonly (string | undefined)[] {
  const parts: (string | undefined)[] = []
  let operands = false
  let isValue = false
  let isUnsure = false
  let hasPattern = pattern === undefined
  let firstOperand: number | undefined
  for (const [at, word] of words.entries()) {
    if (isUnsure) {
      parts.push(word)
    } else if (isValue) {
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
      isValue = option?.takesNext ?? false
      isUnsure = option?.isCut ?? false
      hasPattern ||= isUnsure || (option?.names.some((name) => pattern?.includes(name)) ?? false)
      parts.push(option?.part ?? word)
    }
  }
  return parts.map((part, at) => (at === firstOperand && !hasPattern ? undefined : part))
}

/** An option in a word. */
interface Found {
  /** The word up to its end; all of it if no value follows in it. */
  readonly part: string
  readonly names: readonly string[]
  /** It is only the beginning of an option that takes a value. */
  readonly isCut?: true
  /** The next word is its value. */
  readonly takesNext: boolean
}

function findOption(word: string, options: readonly string[]): Found | undefined {
  if (options.includes(word)) return { part: word, names: [word], takesNext: true }
  if (word.startsWith('--')) {
    const [part = ''] = word.split('=', 1)
    if (options.includes(part)) return { part, names: [part], takesNext: false }
    const names = options.filter((option) => option.startsWith(part))
    return names.length > 0 ? { part: word, names, takesNext: false, isCut: true } : undefined
  }
  const letters = /^-([A-Za-z0-9]*)/.exec(word)?.[1] ?? ''
  const at = Array.from(letters).findIndex((letter) => options.includes(`-${letter}`))
  if (at === -1) return undefined
  const part = word.slice(0, at + 2)
  return { part, names: [`-${letters.charAt(at)}`], takesNext: part === word }
}
