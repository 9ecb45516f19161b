import { type Chunk, type Node, parse, type Token } from 'luaparse'
import { findGroups, withoutConst } from './tokens.ts'

/** A chunk that is no Lua; the message has the chunk's name and line. */
export class LuaSyntaxError extends Error {
  override readonly name = 'LuaSyntaxError'
}

/** A chunk's tree, with lines. */
export interface Tree {
  readonly chunk: Chunk
  /** Whether an expression stands in parentheses of its own. */
  isGrouped(node: Node): boolean
}

const endOfFile = 1
const options = {
  luaVersion: '5.3',
  encodingMode: 'pseudo-latin1',
  locations: true,
  ranges: true,
  comments: false,
} as const

/**
 * The tree of a Lua 5.3 text, where `<const>` may stand too. The text is a binary string: one character a
 * byte, as Lua reads it. Throws `LuaSyntaxError`.
 */
export function parseLua(source: string, chunkName: string): Tree {
  try {
    const tokens = tokensOf(source)
    const groups = findGroups(tokens)
    const chunk = parse(withoutConst(source, tokens), options)
    return { chunk, isGrouped: (node) => isGroupIn(groups, node) }
  } catch (error) {
    throw new LuaSyntaxError(describe(error, chunkName))
  }
}

function tokensOf(source: string): readonly Token[] {
  const lexer = parse(source, { ...options, wait: true })
  const tokens: Token[] = []
  for (let token = lexer.lex(); token.type !== endOfFile; token = lexer.lex()) tokens.push(token)
  return tokens
}

/** The types know nothing of the ranges that luaparse adds when it is asked to. */
function isGroupIn(groups: ReadonlyMap<number, number>, node: Node & { range?: [number, number] }): boolean {
  return node.range !== undefined && groups.get(node.range[0]) === node.range[1]
}

/** luaparse writes `[line:column] message`. */
function describe(error: unknown, chunkName: string): string {
  if (error instanceof RangeError) return `${chunkName}:1: the chunk has too many syntax levels`
  const said = error instanceof Error ? error.message : String(error)
  const message = said.replace('<expression> expected near', 'unexpected symbol near')
  return message.replace(/^\[(\d+):\d+\] /, (_, line: string) => `${chunkName}:${line}: `)
}
