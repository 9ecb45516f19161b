/** How large the source is and may be. Larger than a bound is an error; the bounds themselves may only fall (limits.ts). */
import { parseSync } from 'oxc-parser'
import { walk } from 'oxc-walker'

/** The text of each file by its path from the package's root. */
export type Sources = ReadonlyMap<string, string>

const LONGEST_FILE = 300
const LONGEST_FUNCTION = 80
const LONGEST_LINE = 110

/** One sentence for each file of src that is longer than 300 lines. */
export function longFiles(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = text.split('\n').length - 1
    return path.startsWith('src/') && lines > LONGEST_FILE
      ? [`${path}: ${lines} lines; at most ${LONGEST_FILE}`]
      : []
  })
}

/** Each line of a comment that is wider than 110 columns, as `file:line`. */
export const wideComments = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) => (isWideComment(path, line) ? [`${path}:${index + 1}: a wide comment`] : [])),
  )

/** An address can't be wrapped. */
function isWideComment(path: string, line: string): boolean {
  if (line.length <= LONGEST_LINE || line.includes('://')) return false
  if (path.endsWith('.lua')) return /^\s*--/.test(line)
  return path.endsWith('.ts') && /^\s*(\/\*|\*|\/\/)/.test(line)
}

/** What differs from the list of files of src with a function of more than 80 lines: nothing is added to it. */
export function longFunctions(sources: Sources, allowed: readonly string[]): readonly string[] {
  const found = [...sources].flatMap(([path, text]) => {
    if (!path.startsWith('src/')) return []
    return longestFunction(path, text) > LONGEST_FUNCTION ? [path] : []
  })
  return [
    ...found
      .filter((path) => !allowed.includes(path))
      .map((path) => `${path}: a function has at most ${LONGEST_FUNCTION} lines`),
    ...allowed
      .filter((path) => !found.includes(path))
      .map((path) => `test/checks/limits.json: ${path} has no long function any more; take it off the list`),
  ]
}

/** The number of lines of the longest function of a file, from its first to its last line; 0 if there is none. */
export function longestFunction(path: string, text: string): number {
  let longest = 0
  walk(parseSync(path, text).program, {
    enter(node) {
      if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return
      longest = Math.max(longest, text.slice(node.start, node.end).split('\n').length)
    },
  })
  return longest
}

/** The characters of code of all files of src, without blanks, comments and imports. */
export function charactersOfCode(sources: Sources): number {
  return [...sources].reduce((sum, [path, text]) => (path.startsWith('src/') ? sum + ofCode(text) : sum), 0)
}

/** The text of one file without blanks, comments and imports, counted. */
export function ofCode(text: string): number {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
  const imports = code.match(/^(import|export)\b[\s\S]*?from '[^']*'/gm) ?? []
  return code.replace(imports.join(''), '').replaceAll(/\s/g, '').length
}
