import type { Lua, Table, Value } from './lua.ts'

/** The table library. Part of the context; stands alone. */
export function addTables(lua: Lua): void {
  const { check, numbers } = lua
  const lengthOf = (table: Table): number =>
    Number(numbers.whole(lua.length(0, table)) ?? lua.fail('object length is not an integer'))
  const get = (table: Table, key: number): Value =>
    table.metatable ? lua.index(0, table, key) : table.get(key)
  const set = (table: Table, key: number, value: Value): void => {
    if (table.metatable) lua.store(0, table, key, value)
    else table.set(key, value)
  }
  const mostValues = 50_000

  function insert(...args: Value[]): Value[] {
    const table = check.table(args, 1)
    const end = lengthOf(table) + 1
    if (args.length < 2 || args.length > 3) return lua.fail(`wrong number of arguments to 'insert'`)
    const at = args.length === 2 ? end : check.integer(args, 2)
    if (at < 1 || at > end) lua.badArgument(2, 'position out of bounds')
    for (let index = end; index > at; index -= 1) set(table, index, get(table, index - 1))
    set(table, at, args.at(-1))
    return []
  }

  function remove(...args: Value[]): Value[] {
    const table = check.table(args, 1)
    const size = lengthOf(table)
    const at = check.integer(args, 2, size)
    if (args.length > 1 && size + 1 !== at && (at < 1 || at > size + 1) && !(size === 0 && at === 0)) {
      lua.badArgument(2, 'position out of bounds')
    }
    const value = get(table, at)
    for (let index = at; index < size; index += 1) set(table, index, get(table, index + 1))
    if (at <= size) set(table, size, undefined)
    else set(table, at, undefined)
    return [value]
  }

  function concat(...args: Value[]): Value[] {
    const table = check.table(args, 1)
    const separator = args[1] === undefined ? '' : check.text(args, 2)
    const [first, last] = [
      check.integer(args, 3, 1),
      check.integer(args, 4, args[3] === undefined ? lengthOf(table) : 0),
    ]
    const parts: string[] = []
    for (let index = first; index <= last; index += 1) {
      const value = get(table, index)
      if (typeof value !== 'string' && !numbers.isNumber(value)) {
        return lua.fail(`invalid value (${lua.type(value)}) at index ${index} in table for 'concat'`)
      }
      parts.push(lua.toText(value))
    }
    const text = parts.join(separator)
    lua.charge(text.length)
    return [text]
  }

  function unpack(...args: Value[]): Value[] {
    const [list] = args
    const first = check.integer(args, 2, 1)
    const last = args[2] === undefined ? Number(lua.length(0, list)) : check.integer(args, 3)
    if (last - first >= mostValues) return lua.fail('too many results to unpack')
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
      lua.index(0, list, first + index),
    )
  }

  function move(...args: Value[]): Value[] {
    const source = check.table(args, 1)
    const [first, last, to] = [check.integer(args, 2), check.integer(args, 3), check.integer(args, 4)]
    const target = args[4] === undefined ? source : check.table(args, 5)
    const count = last - first + 1
    const isForward = to > last || to <= first || target !== source
    for (let step = 0; step < count; step += 1) {
      const offset = isForward ? step : count - 1 - step
      set(target, to + offset, get(source, first + offset))
    }
    return [target]
  }

  /** Merges: a comparison that makes no sense gives some order, but always ends. */
  function sorted(values: readonly Value[], isLess: (a: Value, b: Value) => boolean): readonly Value[] {
    if (values.length < 2) return values
    const middle = values.length >> 1
    const [left, right] = [sorted(values.slice(0, middle), isLess), sorted(values.slice(middle), isLess)]
    const merged: Value[] = []
    let [i, j] = [0, 0]
    while (i < left.length && j < right.length) {
      if (isLess(right[j], left[i])) merged.push(right[j++])
      else merged.push(left[i++])
    }
    return [...merged, ...left.slice(i), ...right.slice(j)]
  }

  function sort(...args: Value[]): Value[] {
    const table = check.table(args, 1)
    const order = args[1]
    if (order !== undefined && typeof order !== 'function') {
      lua.badArgument(2, `function expected, got ${lua.type(order)}`)
    }
    const values = Array.from({ length: lengthOf(table) }, (_, index) => get(table, index + 1))
    const isLess = order
      ? (a: Value, b: Value) => lua.truth(lua.invoke(order, a, b)[0])
      : (a: Value, b: Value) => lua.less(0, a, b)
    sorted(values, isLess).forEach((value, index) => set(table, index + 1, value))
    return []
  }

  function pack(...args: Value[]): Value[] {
    const table = new lua.Table()
    args.forEach((value, index) => table.set(index + 1, value))
    table.set('n', args.length)
    return [table]
  }

  lua.globals.set('table', lua.library({ insert, remove, concat, unpack, move, sort, pack }))
}
