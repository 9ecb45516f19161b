import type { Node, Program } from 'oxc-parser'
import { walk } from 'oxc-walker'

/** A function that has a name: declared, a method, or what a variable or a property is given. */
export interface NamedFunction {
  /** Line in its file, from 1. */
  readonly line: number
  readonly lines: number
}

/** What is counted in the syntax of one file. */
export interface SyntaxCounts {
  readonly functions: readonly NamedFunction[]
  /** How many `!` tell the type checker that a value is not null. */
  readonly nonNulls: number
  /** How many `as` there are, without `as const`. */
  readonly assertions: number
  readonly constAssertions: number
}

/** Counts in one file; `text` is what the program was read from. */
export function countSyntax(program: Program, text: string): SyntaxCounts {
  const functions: NamedFunction[] = []
  const counts = { nonNulls: 0, assertions: 0, constAssertions: 0 }
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length
  walk(program, {
    enter(node, parent) {
      if (node.type === 'TSNonNullExpression') counts.nonNulls += 1
      if (node.type === 'TSAsExpression')
        counts[isConst(node.typeAnnotation) ? 'constAssertions' : 'assertions'] += 1
      if (isNamedFunction(node, parent)) {
        const line = lineAt(node.start)
        functions.push({ line, lines: lineAt(node.end) - line + 1 })
      }
    },
  })
  return { functions, ...counts }
}

const isConst = (type: Node): boolean =>
  type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const'

const NAMING = new Set(['VariableDeclarator', 'MethodDefinition', 'Property', 'PropertyDefinition'])

const isNamedFunction = (node: Node, parent: Node | null): boolean =>
  node.type === 'FunctionDeclaration' ||
  ((node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression') &&
    parent !== null &&
    NAMING.has(parent.type))
