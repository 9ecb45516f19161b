import type { Constant, Site } from '../rewrite/writer.ts'
import type { Lua, LuaFunction, Value } from './lua.ts'

/** A CommonJS library as a function of what it may see. */
export type Library = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: object },
  Function: unknown,
  Map: unknown,
) => void

/** The libraries that run inside the context. */
export interface Libraries {
  readonly luaparse: Library
  readonly luaInJs: Library
}

/** Asks the host to rewrite a chunk whose first place gets this number. */
export type Rewrite = (
  source: string,
  chunkName: string,
  firstPlace: number,
) =>
  | { readonly text: string; readonly constants: readonly Constant[]; readonly sites: readonly Site[] }
  | { readonly error: string }

/** From Lua text to functions, through lua-in-js's generator. Part of the context; stands alone. */
export function addCompiler(lua: Lua, libraries: Libraries, rewrite: Rewrite): void {
  interface Scope {
    extend(): Scope
  }
  interface LuaInJs {
    createEnv(config: object): { parse(text: string): { exec(): unknown } }
  }
  /** What generated code is given. */
  interface Runtime {
    readonly globalScope: Scope
    readonly call: unknown
    readonly bool: unknown
    readonly not: unknown
    readonly h: object
  }
  const compile = Function
  let generated = ''
  let scope: Scope | undefined

  /** Stands where lua-in-js makes a function of its JavaScript: the text is kept, and repaired before it runs. */
  function Keeper(_: string, text: string): unknown {
    generated = text
    return (theirs: Runtime) => {
      scope = theirs.globalScope
      return []
    }
  }
  Object.defineProperty(Keeper, Symbol.hasInstance, {
    value: (value: unknown) => typeof value === 'function',
  })

  /** lua-in-js keeps the tree of every chunk in maps of its module; these can be emptied. */
  const trees: Map<unknown, unknown>[] = []
  class TreeMap extends Map<unknown, unknown> {
    constructor() {
      super()
      trees.push(this)
    }
  }

  function open(library: Library, required: Readonly<Record<string, unknown>>): object {
    const module = { exports: {} }
    library(module.exports, (name) => required[name] ?? {}, module, Keeper, TreeMap)
    return module.exports
  }
  const luaparse = open(libraries.luaparse, {})
  const environment = (open(libraries.luaInJs, { luaparse }) as LuaInJs).createEnv({ stdout: () => {} })
  const ownTrees = trees.length

  function generate(text: string): string {
    try {
      environment.parse(text).exec()
      return generated
    } finally {
      for (const tree of trees) tree.clear()
      trees.length = ownTrees
      generated = ''
    }
  }

  /** `h_…` and `k…` are ours alone: no text of a script is in what was generated. */
  const repaired = (text: string): string =>
    text
      .replace(/__lua\.call\(\$\d+\.get\('h_label'\), (\d+)\);\n/g, 'L$1: ')
      .replace(/__lua\.call\(\$\d+\.get\('h_(block|loop)'\), (\d+)\)/g, (_, kind: string, id: string) =>
        kind === 'block' ? `L${id}: {` : `L${id}: while (true) {`,
      )
      .replace(/__lua\.call\(\$\d+\.get\('h_block_end'\), \d+\)/g, '}')
      .replace(/__lua\.call\(\$\d+\.get\('h_loop_end'\), (\d+)\)/g, 'break L$1 }')
      .replace(/__lua\.call\(\$\d+\.get\('h_break'\), (\d+)\)/g, 'break L$1')
      .replace(/__lua\.call\(\$\d+\.get\('h_again'\), (\d+)\)/g, 'continue L$1')
      .replace(/__lua\.call\(\$\d+\.get\('h_(\w+)'\), /g, '__lua.h.$1(')
      .replace(/\$\d+\.get\('k(\d+)'\)/g, 'K[$1]')

  const valueOf = (constant: Constant): Value =>
    typeof constant === 'string' ? constant : lua.numbers.from(constant.number)

  lua.compile = (source, chunkName, globals) => {
    const chunk = rewrite(source, chunkName, lua.places.length)
    if ('error' in chunk) throw new lua.Raised(chunk.error)
    for (const [line, left, right] of chunk.sites) lua.places.push({ chunk: chunkName, line, left, right })
    const make = compile('__lua', 'K', repaired(generate(chunk.text))) as (
      runtime: Runtime,
      constants: readonly Value[],
    ) => [LuaFunction]
    const { bool, not, step } = lua.helpers
    const runtime: Runtime = { globalScope: scope!, call: step, bool, not, h: lua.helpers }
    const [withGlobals] = make(runtime, chunk.constants.map(valueOf))
    return withGlobals(globals)[0] as LuaFunction
  }
}
