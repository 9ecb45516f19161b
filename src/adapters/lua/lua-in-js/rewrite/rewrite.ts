import type { FunctionDeclaration } from 'luaparse'
import type { Context } from './expressions.ts'
import { inFunction } from './labels.ts'
import { LuaSyntaxError, parseLua } from './parse.ts'
import { block } from './statements.ts'
import { type Constant, createWriter, declare, type Site, type View } from './writer.ts'

/** A chunk that lua-in-js turns into the right JavaScript. */
export interface Rewritten {
  /** Lua with nothing in it but our own names, whole numbers, functions, loops and calls of helpers. */
  readonly text: string
  readonly constants: readonly Constant[]
  readonly sites: readonly Site[]
}

/**
 * Rewrites Lua so that lua-in-js 2.2.5 runs it as Lua 5.4 would: no text of the source reaches the JavaScript
 * (strings and names become constants), and whatever can fail or differ is a call of a helper of ours.
 * The text is a binary string. The result returns a function that takes the globals and gives the chunk.
 * Sites are numbered from `firstSite`. Throws `LuaSyntaxError`.
 */
export function rewriteLua(source: string, chunkName: string, firstSite = 0): Rewritten {
  const tree = parseLua(source, chunkName)
  const writer = createWriter(firstSite)
  const context: Context = {
    writer,
    chunkName,
    isGrouped: tree.isGrouped,
    functionBody: (node, view) => functionBody(node, view, context),
  }
  const top: View = { variables: new Map(), depth: 0, vararg: false, jumps: new Map() }
  const globals = declare(top, '_ENV', writer)
  try {
    const body = block(tree.chunk.body, inFunction(top, true), context)
    const chunk = `h_closure(${writer.site(tree.chunk)}, function(...)\n${body}\nend)`
    return {
      text: `return function(${globals}) return ${chunk} end`,
      constants: writer.constants,
      sites: writer.sites,
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new LuaSyntaxError(`${chunkName}:1: the chunk has too many syntax levels`)
  }
}

function functionBody(node: FunctionDeclaration, outer: View, context: Context): string {
  const isVararg = node.parameters.some(({ type }) => type === 'VarargLiteral')
  const view = inFunction(outer, isVararg)
  const isMethod = node.identifier?.type === 'MemberExpression' && node.identifier.indexer === ':'
  const names = isMethod ? [declare(view, 'self', context.writer)] : []
  for (const parameter of node.parameters) {
    names.push(parameter.type === 'Identifier' ? declare(view, parameter.name, context.writer) : '...')
  }
  return `(${names.join(', ')})\n${block(node.body, view, context)}\nend`
}
