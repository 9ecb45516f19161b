import type { Expression, Identifier, NumericLiteral, TableConstructorExpression } from 'luaparse'
import type { FunctionDeclaration } from 'luaparse'
import { LuaSyntaxError } from './parse.ts'
import { lookUp, type View, type Writer } from './writer.ts'

/** What expressions need from whoever rewrites statements. */
export interface Context {
  readonly writer: Writer
  readonly chunkName: string
  /** Whether an expression stands in parentheses of its own. */
  isGrouped(node: Expression): boolean
  /** A function's parameters and body, from `(` to `end`. */
  functionBody(node: FunctionDeclaration, view: View): string
}

type Call = Extract<Expression, { type: 'CallExpression' | 'TableCallExpression' | 'StringCallExpression' }>

const binary: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '//': 'idiv',
  '%': 'mod',
  '^': 'pow',
  '&': 'band',
  '|': 'bor',
  '~': 'bxor',
  '<<': 'shl',
  '>>': 'shr',
  '..': 'concat',
  '==': 'eq',
  '~=': 'neq',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
}
const unary: Readonly<Record<string, string>> = { '-': 'unm', '~': 'bnot', '#': 'len' }

/** An expression in the rewritten text: calls of helpers, variables, constants and functions only. */
export function expression(node: Expression, view: View, context: Context): string {
  const text = plain(node, view, context)
  return isMultiple(node) && context.isGrouped(node) ? `h_first(${text})` : text
}

/** Expressions with commas between them. */
export const list = (nodes: readonly Expression[], view: View, context: Context): string =>
  nodes.map((node) => expression(node, view, context)).join(', ')

/** Whether it can give any number of values. */
export const isMultiple = (node: Expression): boolean => isCall(node) || node.type === 'VarargLiteral'

/** Whether it is a call, however written. */
export const isCall = (node: Expression): node is Call =>
  node.type === 'CallExpression' ||
  node.type === 'TableCallExpression' ||
  node.type === 'StringCallExpression'

function plain(node: Expression, view: View, context: Context): string {
  const { writer } = context
  const inner = (part: Expression): string => expression(part, view, context)
  switch (node.type) {
    case 'NilLiteral':
      return 'nil'
    case 'BooleanLiteral':
      return String(node.value)
    case 'NumericLiteral':
      return number(node, writer)
    case 'StringLiteral':
      return writer.constant(node.value)
    case 'VarargLiteral':
      return '...'
    case 'Identifier':
      return variable(node, view, writer)
    case 'FunctionDeclaration':
      return `h_closure(${writer.site(node)}, function${context.functionBody(node, view)})`
    case 'TableConstructorExpression':
      return table(node, view, context)
    case 'MemberExpression': {
      const key = writer.constant(node.identifier.name)
      return `h_index(${writer.site(node.identifier, nameOf(node.base, view))}, ${inner(node.base)}, ${key})`
    }
    case 'IndexExpression':
      return `h_index(${writer.site(node, nameOf(node.base, view))}, ${inner(node.base)}, ${inner(node.index)})`
    case 'UnaryExpression': {
      if (node.operator === 'not') return `not ${inner(node.argument)}`
      const site = writer.site(node, nameOf(node.argument, view))
      return `h_${unary[node.operator]}(${site}, ${inner(node.argument)})`
    }
    case 'BinaryExpression': {
      const site = writer.site(node, nameOf(node.left, view), nameOf(node.right, view))
      return `h_${binary[node.operator]}(${site}, ${inner(node.left)}, ${inner(node.right)})`
    }
    case 'LogicalExpression': {
      // The right side is a function, so that it is evaluated only when it is needed.
      const [dots, given] = view.vararg ? ['...', ', ...'] : ['', '']
      return `h_${node.operator}(${inner(node.left)}, function(${dots}) return (${inner(node.right)}) end${given})`
    }
    case 'CallExpression':
    case 'TableCallExpression':
    case 'StringCallExpression':
      return call(node, view, context, 'call')
  }
}

/** A call; `how` is `tail` where a function ends with it. */
export function call(node: Call, view: View, context: Context, how: 'call' | 'tail'): string {
  const { writer } = context
  const site = writer.site(node, nameOf(node.base, view))
  const given = list(argumentsOf(node), view, context)
  const comma = given === '' ? '' : ', '
  if (node.base.type === 'MemberExpression' && node.base.indexer === ':') {
    const base = expression(node.base.base, view, context)
    const name = writer.constant(node.base.identifier.name)
    const indexSite = writer.site(node, nameOf(node.base.base, view))
    return `h_${how}_method(${site}, ${indexSite}, ${base}, ${name}${comma}${given})`
  }
  return `h_${how}(${site}, ${expression(node.base, view, context)}${comma}${given})`
}

function argumentsOf(node: Call): readonly Expression[] {
  if (node.type === 'CallExpression') return node.arguments
  return [node.type === 'TableCallExpression' ? node.arguments : node.argument]
}

/** Small whole numbers stay as they are; what JavaScript would read otherwise becomes a constant. */
function number(node: NumericLiteral, writer: Writer): string {
  const isSmall = /^\d{1,15}$/.test(node.raw)
  return isSmall ? String(Number(node.raw)) : writer.constant({ number: node.raw })
}

function variable(node: Identifier, view: View, writer: Writer): string {
  const known = lookUp(view, node.name)
  if (known) return known.name
  const site = writer.site(node, `upvalue '_ENV'`)
  return `h_index(${site}, ${lookUp(view, '_ENV')!.name}, ${writer.constant(node.name)})`
}

/** The shape says what each argument is: p a value in its place, k a key and its value, m all that are left. */
function table(node: TableConstructorExpression, view: View, context: Context): string {
  const parts: string[] = []
  let shape = ''
  node.fields.forEach((field, index) => {
    const value = expression(field.value, view, context)
    if (field.type === 'TableValue') {
      const isRest = index === node.fields.length - 1 && isMultiple(field.value)
      shape += isRest ? 'm' : 'p'
      parts.push(value)
    } else {
      const { key } = field
      const name =
        field.type === 'TableKeyString'
          ? context.writer.constant(field.key.name)
          : expression(key, view, context)
      shape += 'k'
      parts.push(name, value)
    }
  })
  if (parts.length > 60_000) throw new LuaSyntaxError(`${context.chunkName}: a table constructor is too long`)
  return `h_table(${[context.writer.site(node), context.writer.constant(shape), ...parts].join(', ')})`
}

/** What a value is called in an error message, in Lua's own words. */
export function nameOf(node: Expression, view: View): string {
  if (node.type === 'Identifier') {
    const known = lookUp(view, node.name)
    if (!known) return `global '${node.name}'`
    return known.depth === view.depth ? `local '${node.name}'` : `upvalue '${node.name}'`
  }
  if (node.type === 'MemberExpression') {
    return `${node.indexer === ':' ? 'method' : 'field'} '${node.identifier.name}'`
  }
  if (node.type === 'IndexExpression' && node.index.type === 'StringLiteral')
    return `field '${node.index.value}'`
  return node.type === 'StringLiteral' ? `constant '${node.value}'` : ''
}
