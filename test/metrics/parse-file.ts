import { parseSync, type Program } from 'oxc-parser'
import { readDeclarations, type Declaration } from './declarations.ts'
import { readImports, type Imports } from './imports.ts'
import { countSyntax, type SyntaxCounts } from './syntax-counts.ts'

/** All that is known of one file. */
export interface FileFacts extends SyntaxCounts, Imports {
  readonly path: string
  readonly text: string
  readonly program: Program
  readonly lines: number
  /** Number of exported names. */
  readonly exports: number
  /** By name. */
  readonly declarations: ReadonlyMap<string, Declaration>
}

/** What was read last of each path: several checks of one run ask for the same files, and reading them all takes seconds. */
const known = new Map<string, FileFacts>()

/** Reads one file of TypeScript. Throws where it is not valid. */
export function parseFile(path: string, text: string): FileFacts {
  const last = known.get(path)
  if (last?.text === text) return last
  const facts = parse(path, text)
  known.set(path, facts)
  return facts
}

function parse(path: string, text: string): FileFacts {
  const { program, module, errors } = parseSync(path, text, { preserveParens: false })
  if (errors[0]) throw new Error(`${path} cannot be parsed: ${errors[0].message}`)
  return {
    path,
    text,
    program,
    lines: text.split('\n').length - 1,
    exports: module.staticExports.reduce((sum, one) => sum + one.entries.length, 0),
    ...countSyntax(program, text),
    ...readImports(path, program, module),
    declarations: readDeclarations(program),
  }
}
