/** How large the source is and may be. Larger than a bound is an error. */
import { parseSync, type Node } from 'oxc-parser'
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

/** One sentence for each function of src with more than 80 lines. */
export function longFunctions(sources: Sources): readonly string[] {
  return [...sources]
    .flatMap(([path, text]) => (path.startsWith('src/') ? functionsOf(path, text) : []))
    .filter(({ lines }) => lines > LONGEST_FUNCTION)
    .map(({ name, lines }) => `${name}: a function of ${lines} lines; at most ${LONGEST_FUNCTION}`)
}

/** All functions of a file, as `path name`, with their number of lines from the first to the last. */
export function functionsOf(path: string, text: string): readonly Sized[] {
  const functions: Sized[] = []
  walk(parseSync(path, text).program, {
    enter(node, parent) {
      if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return
      const lines = text.slice(node.start, node.end).split('\n').length
      functions.push({ name: `${path} ${nameOf(node) ?? nameOf(parent) ?? 'without a name'}`, lines })
    },
  })
  return functions
}

interface Sized {
  readonly name: string
  readonly lines: number
}

/** The name of a declaration, or of the variable, the property or the method that a function is given to. */
function nameOf(node: Node | null): string | undefined {
  const [id, key] = ['id', 'key'].map((part): unknown => node && Reflect.get(node, part))
  const named = id ?? key
  const name: unknown = typeof named === 'object' && named !== null ? Reflect.get(named, 'name') : undefined
  return typeof name === 'string' ? name : undefined
}

/** The characters of one file without blanks and comments, and without its import if it has only one. */
export function ofCode(text: string): number {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
  const imports = code.match(/^(import|export)\b[\s\S]*?from '[^']*'/gm) ?? []
  return code.replace(imports.join(''), '').replaceAll(/\s/g, '').length
}
