import type * as LuaParse from 'luaparse'

type Node = LuaParse.Node
type Identifier = LuaParse.Identifier & { readonly isLocal?: boolean }
type GeneratorNode = Node | { readonly type: string; readonly [field: string]: unknown }
type Rules = { readonly [T in Node['type']]?: (node: Extract<Node, { type: T }>) => object | void }

/**
 * Parses Lua, one character per byte, to a tree for lua-in-js 2.2.5. Changes nodes as luaparse finishes them:
 * strings become JSON, variables get a prefix, globals become fields of `_ENV`, a method's object is
 * evaluated once, the right side of `and` and `or` becomes a function, `break` names its block. Sent to the
 * context as text.
 */
export function rewriteLua(
  { parse }: typeof LuaParse,
  source: string,
  nodes: ReturnType<typeof createNodes>,
): object {
  const { js, make, order, call, variable, give, lambda, logical, not, one } = nodes
  /** Finds parentheses that reduce several values to one, as in `(f())`, because the parser drops them. */
  const values = (nodes: readonly GeneratorNode[], open = '('): readonly GeneratorNode[] =>
    nodes.map((node) => {
      const [start = 0] = 'range' in node && Array.isArray(node['range']) ? node['range'] : []
      const before = source.slice(Math.max(0, start - 80), start).replace(/\s/g, '')
      return /Call|Vararg/.test(node.type) && before.endsWith(open) ? one(node) : node
    })
  const invocation = (base: Node, given: readonly GeneratorNode[]): GeneratorNode => {
    const made = values(given, given.length === 1 ? '((' : '(')
    if (base.type !== 'MemberExpression' || base.indexer !== ':') return call(base, made)
    return call(js('__lua.method'), [base.base, js(`"${base.identifier.name}"`), ...made])
  }
  const [breaks, names]: [Node[], Identifier[]] = [[], []]
  let last = 0
  const loop = (changes: object): object => {
    const block = `B${(last += 1)}`
    for (const node of breaks.splice(0)) Object.assign(node, order(`break ${block}`))
    return { ...changes, block }
  }
  const statement = (node: Node): readonly GeneratorNode[] => {
    const line = node.type === 'LabelStatement' ? [] : [order(`/*${node.loc?.start.line}*/`)]
    return 'block' in node ? [...line, order(`${String(node.block)}: {`), node, order('}')] : [...line, node]
  }

  const rules: Rules = {
    Identifier: (node) => void names.push(node),
    StringLiteral: ({ value }) => js(JSON.stringify(value)),
    NumericLiteral: ({ value }) => js(`(${value})`),
    LogicalExpression: ({ operator, left, right }) => logical(operator, left, right),
    TableKey: ({ key }) => ({ key: one(key) }),
    TableValue: ({ value }) => ({ value: values([value])[0] }),
    CallExpression: (node) => invocation(node.base, node.arguments),
    TableCallExpression: (node) => invocation(node.base, [node.arguments]),
    StringCallExpression: (node) => invocation(node.base, [node.argument]),
    ReturnStatement: (node) => ({ arguments: values(node.arguments) }),
    LocalStatement: ({ init }) => ({ init: values(init) }),
    AssignmentStatement: ({ init }) => ({ init: values(init) }),
    LabelStatement: ({ label }) => ({ label: variable(label.name) }),
    BreakStatement: (node) => void breaks.push(node),
    WhileStatement: ({ condition }) => loop({ condition: not(not(condition)) }),
    RepeatStatement({ body, condition }) {
      const exit: Node = { type: 'BreakStatement' }
      breaks.push(exit)
      const end = make('IfStatement', { clauses: [make('IfClause', { condition, body: [exit] })] })
      return loop({ type: 'WhileStatement', condition: js('true'), body: [...body, end] })
    },
    ForNumericStatement: () => loop({}),
    ForGenericStatement: ({ iterators }) => loop({ iterators: values(iterators) }),
  }
  // A chunk keeps multiple values in two variables, and each function needs its own.
  const own = order('var vars, vals')
  const { body } = parse(source, {
    ...{ luaVersion: '5.3', encodingMode: 'pseudo-latin1', locations: true, ranges: true, scope: true },
    onCreateNode(node) {
      const first = node.type === 'FunctionDeclaration' ? [own] : []
      if ('body' in node) Object.assign(node, { body: [...first, ...node.body.flatMap(statement)] })
      const rule: ((node: never) => object | void) | undefined = rules[node.type]
      Object.assign(node, rule?.(node as never))
    },
  })
  // The parser has marked variables by now; all other names are fields.
  for (const node of names.filter(({ isLocal }) => isLocal !== undefined)) {
    const { name, isLocal } = node
    const field = make('MemberExpression', { base: variable('v__ENV'), identifier: { name } })
    const prefixed = { name: name === 'self' ? name : `v_${name}` }
    Object.assign(node, isLocal || name === '_ENV' ? prefixed : field)
  }
  const chunk = lambda([make('VarargLiteral', {})], [own, ...body])
  return make('Chunk', { body: [give(lambda([variable('v__ENV')], [give(chunk)]))] })
}

/** Creates nodes for `rewriteLua`. Sent to the context as text. */
export function createNodes() {
  /** Inserts JavaScript, because the generator copies a number unchanged. */
  const js = (value: string): GeneratorNode => ({ type: 'NumericLiteral', value })
  const make = (type: string, fields: object): GeneratorNode => ({ type, ...fields })
  const order = (text: string): GeneratorNode => make('CallStatement', { expression: js(text) })
  const call = (base: GeneratorNode, given: readonly GeneratorNode[]): GeneratorNode =>
    make('CallExpression', { base, arguments: given })
  const variable = (name: string): GeneratorNode => make('Identifier', { name })
  const give = (value: GeneratorNode): GeneratorNode => make('ReturnStatement', { arguments: [value] })
  const lambda = (parameters: readonly GeneratorNode[], body: readonly GeneratorNode[]): GeneratorNode =>
    make('FunctionDeclaration', { identifier: null, parameters, body })
  const logical = (operator: string, left: GeneratorNode, right: GeneratorNode): GeneratorNode =>
    make('LogicalExpression', { operator, left, right: lambda([], [give(right)]) })
  const not = (argument: GeneratorNode): GeneratorNode =>
    make('UnaryExpression', { operator: 'not', argument })
  const one = (value: GeneratorNode): GeneratorNode => logical('and', js('true'), value)
  return { js, make, order, call, variable, give, lambda, logical, not, one }
}
