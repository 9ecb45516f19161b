import type { Lua, Place, Table, Value } from './lua.ts'

/** The global functions, but for those about errors. Part of the context; stands alone. */
export function addBase(lua: Lua): void {
  const { check, numbers } = lua
  const isTable = (value: Value): value is Table => value instanceof lua.Table

  function tonumber(...args: Value[]): Value[] {
    if (args[1] === undefined) return [numbers.from(check.any(args, 1))]
    const base = check.integer(args, 2)
    if (typeof args[0] !== 'string') return lua.badArgument(1, `string expected, got ${lua.type(args[0])}`)
    if (base < 2 || base > 36) return lua.badArgument(2, 'base out of range')
    const [, sign, digits] = /^\s*(-?)([0-9a-zA-Z]+)\s*$/.exec(args[0]) ?? []
    if (digits === undefined) return [undefined]
    let value = 0n
    for (const sign of digits.toLowerCase()) {
      const digit = Number.parseInt(sign, 36)
      if (digit >= base) return [undefined]
      value = value * BigInt(base) + BigInt(digit)
    }
    return [numbers.integer(sign === '-' ? -value : value)]
  }

  function select(...args: Value[]): Value[] {
    const [which, ...values] = args
    if (which === '#') return [values.length]
    const at = check.integer(args, 1)
    if (at < 0 && -at > values.length) return lua.badArgument(1, 'index out of range')
    if (at === 0) return lua.badArgument(1, 'index out of range')
    return at < 0 ? values.slice(at) : values.slice(at - 1)
  }

  function setmetatable(...args: Value[]): Value[] {
    const table = check.table(args, 1)
    const meta = args[1]
    if (meta !== undefined && !isTable(meta)) {
      return lua.badArgument(2, `nil or table expected, got ${lua.type(meta)}`)
    }
    if (lua.metamethod(table, '__metatable') !== undefined)
      return lua.fail('cannot change a protected metatable')
    table.metatable = meta
    return [table]
  }

  function getmetatable(...args: Value[]): Value[] {
    const value = check.any(args, 1)
    const own = lua.metamethod(value, '__metatable')
    if (own !== undefined) return [own]
    if (typeof value === 'string') return [lua.stringMeta]
    return [isTable(value) ? value.metatable : undefined]
  }

  const step = (...[, index]: Value[]): Value => (typeof index === 'number' ? index + 1 : 1)
  const ipairs = (...args: Value[]): Value[] => {
    const walk = (...[list, index]: Value[]): Value[] => {
      const next = step(list, index)
      const value = lua.index(0, list, next)
      return value === undefined ? [undefined] : [next, value]
    }
    return [walk, check.any(args, 1), 0]
  }
  const next = (...args: Value[]): Value[] => [...(check.table(args, 1).after(args[1]) ?? [undefined])]
  const pairs = (...args: Value[]): Value[] => {
    const own = lua.metamethod(args[0], '__pairs')
    if (own !== undefined) return lua.invoke(own, args[0]).slice(0, 3)
    return [next, check.table(args, 1), undefined]
  }

  function load(...args: Value[]): Value[] {
    const [chunk, name, , own] = args
    if (typeof chunk === 'function' && lua.answers.has(chunk)) return [chunk]
    const text = check.text(args, 1)
    if (text.startsWith('\u001b')) return [undefined, "attempt to load a binary chunk (mode is 't')"]
    const chunkName = name === undefined ? text : check.text(args, 2)
    try {
      return [lua.compile(text, shown(chunkName), args.length > 3 ? own : lua.globals)]
    } catch (error) {
      if (error instanceof lua.Raised) return [undefined, error.value]
      throw error
    }
  }
  function shown(name: string): string {
    if (/^[=@]/.test(name)) return name.slice(1, 60)
    const [first = ''] = name.split('\n', 1)
    return `[string "${first === name && name.length < 45 ? name : `${first.slice(0, 42)}...`}"]`
  }

  const described = ({ chunk, line }: Place): Table => {
    const info = new lua.Table()
    info.set('source', `=${chunk}`)
    info.set('short_src', chunk)
    info.set('currentline', line)
    info.set('linedefined', line)
    return info
  }
  /** At a level there is the running line, of a function the line where it begins. */
  function getinfo(...[what]: Value[]): Value[] {
    if (typeof what === 'function') return [described(lua.places[what.definedAt ?? 0]!)]
    const level = lua.depth - Number(what)
    return level < 0 ? [undefined] : [described(lua.places[lua.calls[level] ?? 0]!)]
  }

  const rawlen = (value: Value): Value => {
    if (typeof value === 'string') return value.length
    return isTable(value) ? value.list.length : lua.badArgument(1, 'table or string expected')
  }
  const functions: Readonly<Record<string, (...args: Value[]) => Value[]>> = {
    assert(...args) {
      if (lua.truth(check.any(args, 1))) return args
      const message = args.length > 1 ? args[1] : 'assertion failed!'
      throw new lua.Raised(typeof message === 'string' ? lua.where(1) + message : message)
    },
    collectgarbage: () => [0],
    getmetatable,
    ipairs,
    load,
    next,
    pairs,
    rawequal: (...args) => [
      check.any(args, 1) === check.any(args, 2) || (!isTable(args[0]) && lua.equal(args[0], args[1])),
    ],
    rawget: (...args) => [check.table(args, 1).get(args[1])],
    rawlen: (...args) => [rawlen(args[0])],
    rawset(...args) {
      if (args[1] === undefined) return lua.fail('table index is nil')
      check.table(args, 1).set(args[1], args[2])
      return [args[0]]
    },
    select,
    setmetatable,
    tonumber,
    tostring: (...args) => [lua.toText(check.any(args, 1))],
    type: (...args) => [lua.type(check.any(args, 1))],
  }
  for (const [name, value] of Object.entries(functions)) lua.globals.set(name, value)
  lua.globals.set('debug', lua.library({ getinfo }))
  lua.globals.set('_VERSION', 'Lua 5.4')
  lua.globals.set('_G', lua.globals)
}
