import type { Node, Program } from 'oxc-parser'
import { makerOf, typesGivenBy } from './given-types.ts'
import { readMentions, type Mention } from './mentions.ts'

/** Something declared at the top of a file: a function, a constant, a class, a type. */
export interface Declaration {
  readonly node: Node
  /** Names of the file that it uses as values; none that a parameter or variable of its own hides. */
  readonly values: ReadonlySet<string>
  /** Likewise, as types. */
  readonly types: ReadonlySet<string>
  /** Names of the types that it says it is, returns or implements. */
  readonly gives: ReadonlySet<string>
  /** The function whose result it is: `defineTool` in `export const look = defineTool(…)`. */
  readonly maker: string | undefined
}

/** The name of what a file does when it is loaded, apart from declaring. */
export const MODULE_BODY = '(module)'

/** The declarations of a file by name, its body included. */
export function readDeclarations(program: Program): ReadonlyMap<string, Declaration> {
  const named = program.body.flatMap(declaredIn)
  const all = [...named, { name: MODULE_BODY, node: program }]
  const mentions = readMentions(program).map((mention) => ({
    ...mention,
    by: all.find(({ node }) => mention.at >= node.start && mention.at < node.end)?.name,
  }))
  return new Map(
    all.map(({ name, node }) => [
      name,
      declaration(
        name,
        node,
        mentions.filter((one) => one.by === name),
      ),
    ]),
  )
}

function declaration(name: string, node: Node, mentions: readonly Mention[]): Declaration {
  const names = (kind: Mention['kind']): ReadonlySet<string> =>
    new Set(mentions.filter((one) => one.kind === kind && one.name !== name).map((one) => one.name))
  const gives = new Set(typesGivenBy(node))
  return { node, values: names('value'), types: names('type'), gives, maker: makerOf(node) }
}

function declaredIn(statement: Node): readonly { readonly name: string; readonly node: Node }[] {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      return statement.declaration ? declaredIn(statement.declaration) : []
    case 'VariableDeclaration':
      return statement.declarations.flatMap((node) =>
        node.id.type === 'Identifier' ? { name: node.id.name, node } : [],
      )
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return statement.id ? [{ name: statement.id.name, node: statement }] : []
    default:
      return []
  }
}
