import type { Float, Lua, LuaFunction, Value } from './lua.ts'

/** Calls, loops, errors and where they happened. Part of the context; stands alone. */
export function addCalls(lua: Lua): void {
  const { helpers, numbers } = lua
  const named = (name: string): string => (name === '' ? '' : ` (${name})`)

  function call(place: number, f: Value, ...args: Value[]): Value[] {
    if (typeof f !== 'function') return callOther(place, f, args)
    lua.tick()
    lua.calls[lua.depth] = place
    lua.depth += 1
    const results = f(...args)
    lua.depth -= 1
    return results
  }

  function callOther(place: number, f: Value, args: readonly Value[]): Value[] {
    const own = lua.metamethod(f, '__call')
    if (own !== undefined) return call(place, own, f, ...args)
    return lua.failAt(place, `attempt to call a ${lua.type(f)} value${named(lua.places[place]!.left)}`)
  }

  /** A Lua function that ends with a call of another one is forgotten; then nothing is known about its place. */
  const tail = (place: number, f: Value, ...args: Value[]): Value[] =>
    call(typeof f === 'function' && f.definedAt !== undefined ? 0 : place, f, ...args)

  const method =
    (how: typeof call) =>
    (place: number, indexPlace: number, base: Value, name: Value, ...args: Value[]): Value[] =>
      how(place, lua.index(indexPlace, base, name), base, ...args)

  lua.invoke = (f, ...args) => call(0, f, ...args)

  lua.where = (level) => {
    const place = lua.places[lua.calls[lua.depth - level] ?? 0]
    return place && place.line > 0 ? `${place.chunk}:${place.line}: ` : ''
  }
  lua.failAt = (place, message) => {
    const { chunk, line } = lua.places[place]!
    throw new lua.Raised(line > 0 ? `${chunk}:${line}: ${message}` : message)
  }
  lua.fail = (message) => {
    throw new lua.Raised(lua.where(1) + message)
  }
  lua.badArgument = (index, message) => {
    const { left } = lua.places[lua.calls[lua.depth - 1] ?? 0]!
    const name = /'(.*)'/s.exec(left)?.[1] ?? '?'
    const isMethod = left.startsWith('method')
    if (isMethod && index === 1) return lua.fail(`calling '${name}' on bad self (${message})`)
    return lua.fail(`bad argument #${isMethod ? index - 1 : index} to '${name}' (${message})`)
  }

  /** Places the error where it belongs, and gives what a script may see of it. Throws what it may not catch. */
  const caught = (error: unknown): Value => {
    if (error instanceof lua.Raised) return error.value
    if (error instanceof RangeError && /call stack/.test(error.message))
      return `${lua.where(1)}stack overflow`
    if (error instanceof RangeError) throw new lua.Limit('memory')
    throw error
  }
  const guarded = (f: Value, args: readonly Value[], handle: (raised: Value) => Value[]): Value[] => {
    const { depth } = lua
    try {
      return [true, ...lua.invoke(f, ...args)]
    } catch (error) {
      const raised = caught(error)
      const results = handle(raised)
      lua.depth = depth
      return [false, ...results]
    }
  }
  const protectedCalls = {
    pcall: (f: Value, ...args: Value[]) => guarded(f, args, (raised) => [raised]),
    xpcall: (f: Value, handler: Value, ...args: Value[]) =>
      guarded(f, args, (raised) => lua.invoke(handler, raised)),
    error: (value: Value, level: Value = 1) => {
      const isPlaced = typeof value === 'string' && typeof level === 'number' && level > 0
      throw new lua.Raised(isPlaced ? lua.where(level) + value : value)
    },
  }
  for (const [name, value] of Object.entries(protectedCalls)) lua.globals.set(name, value)

  function* counting(start: number, stop: number, step: number): Generator<number> {
    for (let index = start; step > 0 ? index <= stop : index >= stop; index += step) yield index
  }

  type Num = number | bigint | Float
  const isPlainInteger = (value: Num): value is number => typeof value === 'number' && Number.isInteger(value)

  /** An iterator over a numeric loop's values: integers if the start and the step are, else floats. */
  function range(place: number, from: Value, to: Value, by: Value = 1): Value[] {
    const [start, stop, step] = [from, to, by].map((value, index) => {
      if (numbers.isNumber(value)) return value
      const what = ['initial value', 'limit', 'step'][index]
      return lua.failAt(place, `bad 'for' ${what} (number expected, got ${lua.type(value)})`)
    }) as [Num, Num, Num]
    if (Number(numbers.plain(step)) === 0) lua.failAt(place, `'for' step is zero`)
    const isWhole = isPlainInteger(start) && isPlainInteger(step)
    // Beyond 2^53 a loop would take longer than any script has.
    const last = isWhole
      ? Math.min(Math.max(Number(numbers.plain(stop)), -(2 ** 53)), 2 ** 53)
      : Number(numbers.plain(stop))
    const values = counting(Number(numbers.plain(start)), last, Number(numbers.plain(step)))
    return [
      () => {
        lua.tick()
        const { done, value } = values.next()
        if (done === true) return [undefined]
        return [isWhole ? value : numbers.float(value)]
      },
    ]
  }

  const each = (place: number, iterator: Value, state?: Value, first?: Value): Value[] => [
    (...args: Value[]) => call(place, iterator, ...args),
    state,
    first,
  ]

  function closure(place: number, f: LuaFunction): Value[] {
    f.definedAt = place
    lua.charge(160)
    return [f]
  }

  Object.assign(helpers, {
    call,
    tail,
    call_method: method(call),
    tail_method: method(tail),
    range,
    each,
    closure,
  })
  // What lua-in-js writes for the steps of a loop; the functions there are ours.
  helpers['step'] = (iterator: LuaFunction, state: Value, control: Value) => iterator(state, control)
}
