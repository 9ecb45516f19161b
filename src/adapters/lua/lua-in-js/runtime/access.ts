import type { Lua, LuaFunction, Table, Value } from './lua.ts'

/** Reading, storing, comparing and joining any values. Part of the context; stands alone. */
export function addAccess(lua: Lua): void {
  const { numbers } = lua
  const isTable = (value: Value): value is Table => value instanceof lua.Table
  const named = (name: string): string => (name === '' ? '' : ` (${name})`)
  const longestChain = 2000

  lua.index = (place, base, key) => {
    let at = base
    for (let links = 0; links < longestChain; links += 1) {
      if (isTable(at)) {
        const value = at.get(key)
        if (value !== undefined || !at.metatable) return value
        const handler = at.metatable.get('__index')
        if (handler === undefined) return undefined
        if (typeof handler === 'function') return lua.invoke(handler, at, key)[0]
        at = handler
      } else {
        const handler = lua.metamethod(at, '__index')
        if (handler === undefined) return refuse(place, at)
        if (typeof handler === 'function') return lua.invoke(handler, at, key)[0]
        at = handler
      }
    }
    return lua.failAt(place, `'__index' chain too long; possible loop`)
  }

  lua.store = (place, base, key, value) => {
    let at = base
    for (let links = 0; links < longestChain; links += 1) {
      if (!isTable(at)) return refuse(place, at)
      const handler = at.metatable && at.get(key) === undefined ? at.metatable.get('__newindex') : undefined
      if (handler === undefined) {
        checkKey(place, key)
        at.set(key, value)
        return
      }
      if (typeof handler === 'function') {
        lua.invoke(handler, at, key, value)
        return
      }
      at = handler
    }
    return lua.failAt(place, `'__newindex' chain too long; possible loop`)
  }

  function checkKey(place: number, key: Value): void {
    if (key === undefined) lua.failAt(place, 'table index is nil')
    if (typeof key === 'number' && Number.isNaN(key)) lua.failAt(place, 'table index is NaN')
  }

  const refuse = (place: number, value: Value): never =>
    lua.failAt(place, `attempt to index a ${lua.type(value)} value${named(lua.places[place]!.left)}`)

  const isWhole = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isInteger(value)

  lua.equal = (a, b) => {
    if (a === b) return true
    if (numbers.isNumber(a) && numbers.isNumber(b)) {
      const [left, right] = [numbers.plain(a), numbers.plain(b)]
      if (typeof left === typeof right) return left === right
      return isWhole(left) && isWhole(right) && BigInt(left) === BigInt(right)
    }
    if (!isTable(a) || !isTable(b)) return false
    const own = lua.metamethod(a, '__eq') ?? lua.metamethod(b, '__eq')
    return own !== undefined && lua.truth(lua.invoke(own, a, b)[0])
  }

  const compare = (name: '__lt' | '__le', place: number, a: Value, b: Value): boolean => {
    if (numbers.isNumber(a) && numbers.isNumber(b)) {
      const [left, right] = [numbers.plain(a), numbers.plain(b)]
      return name === '__lt' ? left < right : left <= right
    }
    if (typeof a === 'string' && typeof b === 'string') return name === '__lt' ? a < b : a <= b
    const own = lua.metamethod(a, name) ?? lua.metamethod(b, name)
    if (own !== undefined) return lua.truth(lua.invoke(own, a, b)[0])
    const [left, right] = [lua.type(a), lua.type(b)]
    const what = left === right ? `two ${left} values` : `${left} with ${right}`
    return lua.failAt(place, `attempt to compare ${what}`)
  }
  lua.less = (place, a, b) => compare('__lt', place, a, b)

  lua.length = (place, value) => {
    if (typeof value === 'string') return value.length
    const own = lua.metamethod(value, '__len')
    if (own !== undefined) return lua.invoke(own, value)[0]
    if (isTable(value)) return value.list.length
    return lua.failAt(
      place,
      `attempt to get length of a ${lua.type(value)} value${named(lua.places[place]!.left)}`,
    )
  }

  const isTextual = (value: Value): boolean => typeof value === 'string' || numbers.isNumber(value)

  function concat(place: number, a: Value, b: Value): Value {
    if (isTextual(a) && isTextual(b)) {
      const text = lua.toText(a) + lua.toText(b)
      lua.charge(text.length)
      return text
    }
    const own = lua.metamethod(a, '__concat') ?? lua.metamethod(b, '__concat')
    if (own !== undefined) return lua.invoke(own, a, b)[0]
    const { left, right } = lua.places[place]!
    const [guilty, name] = isTextual(a) ? [b, right] : [a, left]
    return lua.failAt(place, `attempt to concatenate a ${lua.type(guilty)} value${named(name)}`)
  }

  function table(_: number, shape: string, ...parts: Value[]): Value[] {
    const made = new lua.Table()
    lua.charge(120 + 16 * parts.length)
    let [at, next] = [0, 1]
    for (const kind of shape) {
      if (kind === 'k') {
        lua.store(_, made, parts[at], parts[at + 1])
        at += 2
      } else if (kind === 'p') {
        made.list[next - 1] = parts[at]
        next += 1
        at += 1
      } else {
        for (; at < parts.length; at += 1) made.list.push(parts[at])
      }
    }
    while (made.list.length > 0 && made.list.at(-1) === undefined) made.list.pop()
    return [made]
  }

  const binary = ['add', 'sub', 'mul', 'div', 'idiv', 'mod', 'pow', 'band', 'bor', 'bxor', 'shl', 'shr']
  for (const name of binary) {
    lua.helpers[name] = (place: number, a: Value, b: Value) => [lua.arithmetic(name, place, a, b)]
  }
  for (const name of ['unm', 'bnot']) {
    lua.helpers[name] = (place: number, a: Value) => [lua.arithmetic(name, place, a, a)]
  }
  Object.assign(lua.helpers, {
    table,
    index: (place: number, base: Value, key: Value) => [lua.index(place, base, key)],
    store: (place: number, base: Value, key: Value, value: Value) => {
      lua.store(place, base, key, value)
      return []
    },
    concat: (place: number, a: Value, b: Value) => [concat(place, a, b)],
    len: (place: number, value: Value) => [lua.length(place, value)],
    eq: (_: number, a: Value, b: Value) => [lua.equal(a, b)],
    neq: (_: number, a: Value, b: Value) => [!lua.equal(a, b)],
    lt: (place: number, a: Value, b: Value) => [compare('__lt', place, a, b)],
    le: (place: number, a: Value, b: Value) => [compare('__le', place, a, b)],
    gt: (place: number, a: Value, b: Value) => [compare('__lt', place, b, a)],
    ge: (place: number, a: Value, b: Value) => [compare('__le', place, b, a)],
    first: (value?: Value) => [value],
    and: (left: Value, right: LuaFunction, ...given: Value[]) =>
      lua.truth(left) ? [right(...given)[0]] : [left],
    or: (left: Value, right: LuaFunction, ...given: Value[]) =>
      lua.truth(left) ? [left] : [right(...given)[0]],
    // Every loop without a call asks one of these at each turn.
    bool(value: Value) {
      lua.tick()
      return lua.truth(value)
    },
    not(value: Value) {
      lua.tick()
      return !lua.truth(value)
    },
  })
}
