import type { Statement } from 'luaparse'
import type { Context } from './expressions.ts'
import { LuaSyntaxError } from './parse.ts'
import { inside, type View } from './writer.ts'

type Write = (part: readonly Statement[], view: View) => string

/**
 * A goto becomes a jump that JavaScript has: forward it leaves a labelled block that ends at its label,
 * backward it begins a labelled loop again. One that crosses another label on its way is refused.
 */
export function withLabels(body: readonly Statement[], view: View, context: Context, write: Write): string {
  const at = body.findIndex(({ type }) => type === 'LabelStatement')
  const label = body[at]
  if (label?.type !== 'LabelStatement') return checked(body, view, context, write)
  const { name } = label.label
  const before = body.slice(0, at)
  const after = body.slice(at + 1)
  const head = jumpsTo(name, before)
    ? forward(name, before, view, context, write)
    : checked(before, view, context, write)
  if (!jumpsTo(name, after)) return `${head}\n${withLabels(after, view, context, write)}`
  const id = context.writer.fresh()
  const seen = withJump(view, name, `h_again(${id})`)
  return `${head}\nh_loop(${id})\n${withLabels(after, seen, context, write)}\nh_loop_end(${id})`
}

function forward(
  name: string,
  body: readonly Statement[],
  view: View,
  context: Context,
  write: Write,
): string {
  const id = context.writer.fresh()
  const seen = withJump(view, name, `h_break(${id})`)
  return `h_block(${id})\n${checked(body, seen, context, write)}\nh_block_end(${id})`
}

/** The same variables: a part of a block declares what later parts use. */
const withJump = (view: View, name: string, text: string): View => ({
  ...view,
  jumps: new Map([...view.jumps, [`goto ${name}`, text] as const]),
})

function checked(body: readonly Statement[], view: View, context: Context, write: Write): string {
  for (const node of body) {
    if (node.type === 'GotoStatement' && !view.jumps.has(`goto ${node.label.name}`)) {
      const line = node.loc?.start.line ?? 1
      throw new LuaSyntaxError(
        `${context.chunkName}:${line}: goto ${node.label.name} crosses another label, which this Lua engine cannot do`,
      )
    }
  }
  return write(body, view)
}

/** Whether a goto to this label is among the statements, however deep, but not in another function. */
function jumpsTo(name: string, body: readonly Statement[]): boolean {
  return body.some((node) => {
    if (node.type === 'GotoStatement') return node.label.name === name
    if (node.type === 'IfStatement') return node.clauses.some((clause) => jumpsTo(name, clause.body))
    return node.type !== 'FunctionDeclaration' && 'body' in node && jumpsTo(name, node.body)
  })
}

/** A function's own view: nothing jumps out of a function. */
export const inFunction = (view: View, vararg: boolean): View =>
  inside(view, { depth: view.depth + 1, vararg, jumps: new Map() })
