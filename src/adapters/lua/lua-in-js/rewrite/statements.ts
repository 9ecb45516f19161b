import type { FunctionDeclaration, LocalStatement, Statement } from 'luaparse'
import type { AssignmentStatement, ForGenericStatement, ForNumericStatement, IfStatement } from 'luaparse'
import { call, type Context, expression, isCall, list, nameOf } from './expressions.ts'
import { withLabels } from './labels.ts'
import { declare, inside, lookUp, type View } from './writer.ts'

/** Statements in the rewritten text, a line each. */
export function block(body: readonly Statement[], view: View, context: Context): string {
  return withLabels(body, view, context, (part, seen) =>
    part.map((node) => statement(node, seen, context)).join('\n'),
  )
}

function statement(node: Statement, view: View, context: Context): string {
  switch (node.type) {
    case 'LocalStatement':
      return local(node, view, context)
    case 'AssignmentStatement':
      return assignment(node, view, context)
    case 'CallStatement':
      return expression(node.expression, view, context)
    case 'FunctionDeclaration':
      return namedFunction(node, view, context)
    case 'IfStatement':
      return conditional(node, view, context)
    case 'WhileStatement':
      return loop(view, context, (seen) => {
        // Twice negated, a value is a JavaScript boolean with Lua's idea of truth.
        const condition = expression(node.condition, seen, context)
        return `while not not ${condition} do\n${block(node.body, inside(seen), context)}\nend`
      })
    case 'RepeatStatement':
      return loop(view, context, (seen) => {
        const body = inside(seen)
        const text = block(node.body, body, context)
        return `while true do\n${text}\nif ${expression(node.condition, body, context)} then break end\nend`
      })
    case 'ForNumericStatement':
      return loop(view, context, (seen) => countingLoop(node, seen, context))
    case 'ForGenericStatement':
      return loop(view, context, (seen) => eachLoop(node, seen, context))
    case 'DoStatement':
      return `do\n${block(node.body, inside(view), context)}\nend`
    case 'ReturnStatement':
      return `do return ${returned(node.arguments, view, context)} end`
    case 'BreakStatement':
      return view.jumps.get('break')!
    case 'GotoStatement':
      return view.jumps.get(`goto ${node.label.name}`)!
    case 'LabelStatement':
      return ''
  }
}

/** The new variables are not seen by what they begin with. */
function local(node: LocalStatement, view: View, context: Context): string {
  const values = list(node.init, view, context)
  const names = node.variables.map(({ name }) => declare(view, name, context.writer)).join(', ')
  return values === '' ? `local ${names}` : `local ${names} = ${values}`
}

type Target = AssignmentStatement['variables'][number]

/** Everything on both sides is evaluated before anything is stored. */
function assignment({ variables, init }: AssignmentStatement, view: View, context: Context): string {
  if (variables.length === 1 && init.length === 1) {
    return prepared(variables[0]!, view, context).store(expression(init[0]!, view, context))
  }
  const targets = variables.map((target) => prepared(target, view, context, true))
  const values = variables.map(() => `v${context.writer.fresh()}`)
  const lines = targets.map(({ before }) => before)
  lines.push(`local ${values.join(', ')} = ${list(init, view, context)}`)
  targets.forEach(({ store }, index) => lines.push(store(values[index]!)))
  return `do\n${lines.join('\n')}\nend`
}

interface Prepared {
  readonly before: string
  store(value: string): string
}

function prepared(target: Target, view: View, context: Context, early = false): Prepared {
  const { writer } = context
  if (target.type === 'Identifier') {
    const known = lookUp(view, target.name)
    if (known) return { before: '', store: (value) => `${known.name} = ${value}` }
    const place = `${writer.site(target, `upvalue '_ENV'`)}, ${lookUp(view, '_ENV')!.name}, ${writer.constant(target.name)}`
    return { before: '', store: (value) => `h_store(${place}, ${value})` }
  }
  const site = writer.site(target, nameOf(target.base, view))
  const base = expression(target.base, view, context)
  const key =
    target.type === 'MemberExpression'
      ? writer.constant(target.identifier.name)
      : expression(target.index, view, context)
  if (!early) return { before: '', store: (value) => `h_store(${site}, ${base}, ${key}, ${value})` }
  const [first, second] = [`v${writer.fresh()}`, `v${writer.fresh()}`]
  return {
    before: `local ${first}, ${second} = h_first(${base}), h_first(${key})`,
    store: (value) => `h_store(${site}, ${first}, ${second}, ${value})`,
  }
}

function namedFunction(node: FunctionDeclaration, view: View, context: Context): string {
  const { identifier } = node
  if (!identifier) return ''
  // A local function sees itself.
  const name =
    node.isLocal && identifier.type === 'Identifier' ? declare(view, identifier.name, context.writer) : ''
  const made = `h_closure(${context.writer.site(node)}, function${context.functionBody(node, view)})`
  if (name !== '') return `local ${name}\n${name} = ${made}`
  return prepared(identifier, view, context).store(made)
}

function conditional({ clauses }: IfStatement, view: View, context: Context): string {
  const parts = clauses.map((clause, index) => {
    const body = block(clause.body, inside(view), context)
    if (clause.type === 'ElseClause') return `else\n${body}`
    return `${index === 0 ? 'if' : 'elseif'} ${expression(clause.condition, view, context)} then\n${body}`
  })
  return `${parts.join('\n')}\nend`
}

/** A loop with a label of its own: a plain `break` could end a loop that only a goto has made. */
function loop(view: View, context: Context, write: (seen: View) => string): string {
  const id = context.writer.fresh()
  const jumps = new Map([...view.jumps, ['break', `h_break(${id})`] as const])
  return `h_label(${id})\n${write(inside(view, { jumps }))}`
}

function countingLoop(node: ForNumericStatement, view: View, context: Context): string {
  const bounds = [node.start, node.end, ...(node.step ? [node.step] : [])]
  const header = `h_range(${context.writer.site(node)}, ${bounds.map((bound) => `h_first(${expression(bound, view, context)})`).join(', ')})`
  const body = inside(view)
  const name = declare(body, node.variable.name, context.writer)
  return `for ${name} in ${header} do\n${block(node.body, inside(body), context)}\nend`
}

function eachLoop(node: ForGenericStatement, view: View, context: Context): string {
  const header = `h_each(${context.writer.site(node, "for iterator 'for iterator'")}, ${list(node.iterators, view, context)})`
  const body = inside(view)
  const names = node.variables.map(({ name }) => declare(body, name, context.writer))
  return `for ${names.join(', ')} in ${header} do\n${block(node.body, inside(body), context)}\nend`
}

function returned(nodes: readonly Parameters<typeof expression>[0][], view: View, context: Context): string {
  const [only] = nodes
  const isTail = nodes.length === 1 && only && isCall(only) && !context.isGrouped(only)
  return isTail ? call(only, view, context, 'tail') : list(nodes, view, context)
}
