import type { Json } from '../../../../lib/json.ts'
import type { Lua, LuaFunction, Table, Value } from './lua.ts'

/** What the host asks of a context; texts have a character for each byte. */
export type Order =
  | {
      readonly do: 'install'
      readonly sandbox: string
      readonly modules: readonly (readonly [string, string])[]
    }
  | { readonly do: 'compile'; readonly id: number; readonly source: string }
  /** Without an id there is no room script. */
  | { readonly do: 'run'; readonly id?: number; readonly data: Json }

/** What a context answers: what Lua returned, or how it failed. */
export type Outcome =
  { readonly text: string } | { readonly raised: string } | { readonly limit: 'memory' | 'time' }

/** Asks the host what a script may ask; JSON in and out. */
export type Ask = (name: string, argument: string) => { readonly value: Json } | { readonly error: string }

/** The way in: runs lua/sandbox.lua on orders. Part of the context; stands alone. */
export function addEntry(lua: Lua, ask: Ask): (order: Order) => Outcome {
  const scripts = new Map<number, LuaFunction>()
  const deepest = 64
  let compose: Value
  let places = 0

  /** Numbers that are whole are integers, as a number written in a script would be. */
  function fromJson(value: Json, depth = 0): Value {
    if (value === null || depth > deepest) return undefined
    if (typeof value === 'string') return value.replace(/[^\0-\xff]/g, '\xef\xbf\xbd')
    if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : lua.numbers.float(value)
    if (typeof value === 'boolean') return value
    const table = new lua.Table()
    if (Array.isArray(value)) {
      ;(value as readonly Json[]).forEach((element, index) =>
        table.set(index + 1, fromJson(element, depth + 1)),
      )
    } else {
      for (const [key, inner] of Object.entries(value)) {
        table.set(fromJson(key), fromJson(inner, depth + 1))
      }
    }
    return table
  }

  /** The answer is a chunk already: `load` takes it as it is. */
  const host: LuaFunction = (name, argument) => {
    const answer = ask(lua.toText(name), lua.toText(argument))
    const chunk: LuaFunction = () => {
      if ('error' in answer) throw new lua.Raised(answer.error)
      return [fromJson(answer.value)]
    }
    lua.answers.add(chunk)
    return [chunk]
  }

  // On the first line, so that line numbers stay; the chunk's only argument is its environment.
  const inEnvironment = (source: string, name: string): LuaFunction =>
    lua.compile(`local _ENV = ...; ${source}`, name, lua.globals)

  function install(order: Extract<Order, { do: 'install' }>): Outcome {
    const modules: Table = new lua.Table()
    for (const [name, source] of order.modules) {
      modules.set(name, inEnvironment(source, `lua/${name.replaceAll('.', '/')}.lua`))
    }
    ;[compose] = lua.invoke(lua.compile(order.sandbox, 'lua/sandbox.lua', lua.globals), modules)
    places = lua.places.length
    return { text: '' }
  }

  function compile({ id, source }: Extract<Order, { do: 'compile' }>): Outcome {
    scripts.set(id, inEnvironment(source, 'script'))
    places = lua.places.length
    return { text: '' }
  }

  function run({ id, data }: Extract<Order, { do: 'run' }>): Outcome {
    const script = id === undefined ? undefined : scripts.get(id)
    // Chunks that the last run loaded are gone.
    lua.places.length = places
    const [ok, result] = lua.invoke(compose, script, () => [fromJson(data)], host)
    return ok === true ? { text: lua.toText(result) } : { raised: lua.toText(result) }
  }

  return (order) => {
    lua.depth = 0
    try {
      if (order.do === 'install') return install(order)
      return order.do === 'compile' ? compile(order) : run(order)
    } catch (error) {
      if (error instanceof lua.Limit) return { limit: error.what }
      if (error instanceof lua.Raised) {
        return {
          raised:
            typeof error.value === 'string' ? error.value : 'the script raised an error that is not text',
        }
      }
      if (error instanceof RangeError) return { raised: `${lua.where(1)}stack overflow` }
      throw error
    }
  }
}
