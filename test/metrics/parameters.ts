import type { Node, ParamPattern } from 'oxc-parser'
import { walk } from 'oxc-walker'
import type { Graph } from './graph.ts'
import { membersOf, type Members, type WrittenType } from './members.ts'
import type { FileFacts } from './parse-file.ts'

/** The type of a parameter through which parts of the program are handed over. */
export interface ParameterObject {
  /** Its name, or its text where it has none. */
  readonly type: string
  /** Where it is declared, or written. */
  readonly file: string
  /** Number of its fields and methods, inherited ones included. */
  readonly fields: number
}

/**
 * All parameter objects, each once, the largest first. Only those count that have a part in a field: a function, or
 * an object with methods. Plain data (an entry, a record, limits) is passed as a whole, and a part by itself is one.
 */
export function parameterObjects(files: readonly FileFacts[], graph: Graph): readonly ParameterObject[] {
  const found = new Map<string, ParameterObject>()
  for (const { path, text, program } of files) {
    for (const node of parameterTypes(program)) {
      const members = membersOf(graph, { file: path, node })
      if (!holdsParts(graph, members)) continue
      const { type, file } = titleOf(graph, path, node, text)
      found.set(`${file}:${type}`, { type, file, fields: members.size })
    }
  }
  return [...found.values()].toSorted((a, b) => b.fields - a.fields)
}

function parameterTypes(program: Node): readonly Node[] {
  const types: Node[] = []
  walk(program, {
    enter(node) {
      if (!('params' in node)) return
      if (node.type === 'TSTypeParameterDeclaration' || node.type === 'TSTypeParameterInstantiation') return
      types.push(...node.params.flatMap((one) => typeOf(one) ?? []))
    },
  })
  return types
}

function typeOf(parameter: ParamPattern): Node | undefined {
  if (parameter.type === 'TSParameterProperty') return typeOf(parameter.parameter)
  const { typeAnnotation } = parameter.type === 'AssignmentPattern' ? parameter.left : parameter
  return typeAnnotation ? present(typeAnnotation.typeAnnotation) : undefined
}

/** `X` of `X | undefined`. */
function present(type: Node): Node {
  const parts =
    type.type === 'TSUnionType' ? type.types.filter((one) => one.type !== 'TSUndefinedKeyword') : []
  return parts.length === 1 && parts[0] ? parts[0] : type
}

const holdsParts = (graph: Graph, members: Members): boolean =>
  [...members.values()].some((member) => member.node.type !== 'TSMethodSignature' && isPart(graph, member))

const isPart = (graph: Graph, type: WrittenType): boolean =>
  isFunction(graph, type) || [...membersOf(graph, type).values()].some((member) => isFunction(graph, member))

function isFunction(graph: Graph, { file, node }: WrittenType): boolean {
  switch (node.type) {
    case 'TSFunctionType':
    case 'TSMethodSignature':
      return true
    case 'TSTypeAnnotation':
    case 'TSTypeAliasDeclaration':
      return isFunction(graph, { file, node: node.typeAnnotation })
    case 'TSTypeReference': {
      const place = node.typeName.type === 'Identifier' ? graph.resolve(file, node.typeName.name) : undefined
      return place !== undefined && isFunction(graph, { file: place.file, node: place.declaration.node })
    }
    default:
      return false
  }
}

const LONGEST_TEXT = 60

function titleOf(
  graph: Graph,
  file: string,
  node: Node,
  text: string,
): Pick<ParameterObject, 'type' | 'file'> {
  const name =
    node.type === 'TSTypeReference' && node.typeName.type === 'Identifier' ? node.typeName.name : ''
  const place = graph.resolve(file, name)
  if (place) return { type: place.name, file: place.file }
  return { type: text.slice(node.start, node.end).replace(/\s+/g, ' ').slice(0, LONGEST_TEXT), file }
}
