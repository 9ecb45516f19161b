import type { FunctionBody, Node } from 'oxc-parser'
import { isReferenceIdentifier, walk } from 'oxc-walker'

/**
 * Names of the types that a declaration says it is, returns (or a function that it returns does), implements or
 * extends.
 */
export function typesGivenBy(node: Node): readonly string[] {
  switch (node.type) {
    case 'VariableDeclarator':
      return [...typesIn(node.id), ...(node.init ? typesGivenBy(node.init) : [])]
    case 'ClassDeclaration':
      return (node.implements ?? []).flatMap(typesIn)
    case 'TSInterfaceDeclaration':
      return node.extends.flatMap(typesIn)
    case 'TSTypeAliasDeclaration':
      return node.typeAnnotation.type === 'TSIntersectionType' ? typesIn(node.typeAnnotation) : []
    case 'TSSatisfiesExpression':
      return typesIn(node.typeAnnotation)
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...typesIn(node.returnType), ...(node.body ? returnedFunction(node.body) : [])]
    default:
      return []
  }
}

function returnedFunction(body: FunctionBody | Node): readonly string[] {
  if (body.type === 'ArrowFunctionExpression') return typesGivenBy(body)
  if (body.type !== 'BlockStatement') return []
  const returned = body.body.flatMap((one) => (one.type === 'ReturnStatement' ? (one.argument ?? []) : []))
  return returned.filter((one) => one.type === 'ArrowFunctionExpression').flatMap(typesGivenBy)
}

function typesIn(node: Node | null | undefined): readonly string[] {
  const names: string[] = []
  if (!node) return names
  walk(node, {
    enter(inner, parent) {
      if (inner.type === 'Identifier' && isReferenceIdentifier(inner, parent, { mode: 'type' }))
        names.push(inner.name)
    },
  })
  return names
}

/** The function that is called to make a constant. */
export function makerOf(node: Node): string | undefined {
  if (node.type !== 'VariableDeclarator' || node.init?.type !== 'CallExpression') return undefined
  return node.init.callee.type === 'Identifier' ? node.init.callee.name : undefined
}
