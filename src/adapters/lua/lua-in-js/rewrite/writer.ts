import type { Node } from 'luaparse'

/** A constant of a chunk: text, or a number as Lua writes it. */
export type Constant = string | { readonly number: string }

/** A place that can fail: its line and what its operands are called in messages (`local 'x'`, or empty). */
export type Site = readonly [line: number, left: string, right: string]

/** A variable of the source under the name it has in the rewritten text. */
export interface Variable {
  readonly name: string
  /** How many functions are around its declaration. */
  readonly depth: number
}

/** What can be seen at one place of the source. */
export interface View {
  readonly variables: Map<string, Variable>
  readonly outer?: View
  readonly depth: number
  /** Whether `...` means anything here. */
  readonly vararg: boolean
  /** What `break` is here, and each goto, in the rewritten text. */
  readonly jumps: ReadonlyMap<string, string>
}

/** Collects what a rewritten chunk needs besides its text. */
export interface Writer {
  readonly constants: Constant[]
  readonly sites: Site[]
  /** The name of a constant in the rewritten text. */
  constant(value: Constant): string
  /** The number of a place in the rewritten text. */
  site(node: Node, left?: string, right?: string): number
  /** A number that nothing else of this chunk has. */
  fresh(): number
}

/** An empty writer; its first site gets this number. */
export function createWriter(firstSite: number): Writer {
  const constants: Constant[] = []
  const sites: Site[] = []
  const texts = new Map<string, string>()
  let last = 0
  const add = (value: Constant): string => `k${constants.push(value) - 1}`
  return {
    constants,
    sites,
    constant(value) {
      if (typeof value !== 'string') return add(value)
      const known = texts.get(value) ?? add(value)
      texts.set(value, known)
      return known
    },
    site: (node, left = '', right = '') =>
      firstSite + sites.push([node.loc?.start.line ?? 0, left, right]) - 1,
    fresh: () => (last += 1),
  }
}

/** A view inside a block. */
export const inside = (view: View, over: Partial<View> = {}): View => ({
  ...view,
  ...over,
  variables: new Map(),
  outer: view,
})

/** A new variable in this view; each has a name of its own, so that no name of a script reaches JavaScript. */
export function declare(view: View, name: string, writer: Writer): string {
  const variable = { name: `v${writer.fresh()}`, depth: view.depth }
  view.variables.set(name, variable)
  return variable.name
}

/** The variable that a name means here; undefined for a global. */
export function lookUp(view: View, name: string): Variable | undefined {
  for (let at: View | undefined = view; at; at = at.outer) {
    const variable = at.variables.get(name)
    if (variable) return variable
  }
  return undefined
}
