import type { Node } from 'oxc-parser'
import type { Graph } from './graph.ts'

/** A type, or what declares one, as it is written in a file. */
export interface WrittenType {
  readonly file: string
  readonly node: Node
}

/** Fields and methods of objects of a type, by name, with their types. */
export type Members = ReadonlyMap<string, WrittenType>

const NONE: Members = new Map()

/**
 * The members of a type, inherited ones included. Of a union those of its largest part count. Types of libraries, and
 * what is worked out from other types except by `Pick`, `Omit` and the like, have none.
 */
export function membersOf(graph: Graph, { file, node }: WrittenType): Members {
  const inside = (inner: Node): Members => membersOf(graph, { file, node: inner })
  switch (node.type) {
    case 'TSTypeAnnotation':
    case 'TSTypeAliasDeclaration':
      return inside(node.typeAnnotation)
    case 'TSTypeLiteral':
      return written(file, node.members)
    case 'TSInterfaceDeclaration':
      return new Map([...node.extends.flatMap((one) => [...inside(one)]), ...written(file, node.body.body)])
    case 'TSIntersectionType':
      return new Map(node.types.flatMap((one) => [...inside(one)]))
    case 'TSUnionType':
      return node.types.map(inside).reduce((a, b) => (b.size > a.size ? b : a), NONE)
    case 'TSIndexedAccessType': {
      const [name = ''] = literals(node.indexType)
      const member = inside(node.objectType).get(name)
      return member ? membersOf(graph, member) : NONE
    }
    case 'TSTypeReference':
      return membersByName(graph, file, node.typeName, node.typeArguments?.params ?? [])
    case 'TSInterfaceHeritage':
      return membersByName(graph, file, node.expression, node.typeArguments?.params ?? [])
    default:
      return NONE
  }
}

function membersByName(graph: Graph, file: string, name: Node, [first, second]: readonly Node[]): Members {
  if (name.type !== 'Identifier') return NONE
  const place = graph.resolve(file, name.name)
  if (place) return membersOf(graph, { file: place.file, node: place.declaration.node })
  if (!first || !DERIVING.has(name.name)) return NONE
  const all = [...membersOf(graph, { file, node: first })]
  const keys = second ? literals(second) : []
  if (name.name === 'Pick') return new Map(all.filter(([key]) => keys.includes(key)))
  if (name.name === 'Omit') return new Map(all.filter(([key]) => !keys.includes(key)))
  return new Map(all)
}

/** Types of the language whose members are those of their first argument, or some of them. */
const DERIVING = new Set(['Pick', 'Omit', 'Partial', 'Required', 'Readonly', 'NonNullable'])

function written(file: string, signatures: readonly Node[]): Members {
  const members = new Map<string, WrittenType>()
  for (const one of signatures) {
    const key = 'key' in one && one.key?.type === 'Identifier' ? one.key.name : undefined
    if (key !== undefined)
      members.set(key, {
        file,
        node: 'typeAnnotation' in one && one.typeAnnotation ? one.typeAnnotation : one,
      })
  }
  return members
}

/** `'a' | 'b'` as texts. */
function literals(node: Node): readonly string[] {
  if (node.type === 'TSUnionType') return node.types.flatMap(literals)
  if (node.type !== 'TSLiteralType' || node.literal.type !== 'Literal') return []
  return [String(node.literal.value)]
}
