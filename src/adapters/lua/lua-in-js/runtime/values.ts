import type { Lua, Value } from './lua.ts'

/** Tables, errors, and what is true of any value. Part of the context; stands alone. */
export function addValues(lua: Lua): void {
  class Float {
    readonly whole: number
    constructor(whole: number) {
      this.whole = whole
    }
  }

  class Table {
    readonly list: Value[] = []
    metatable: Table | undefined = undefined
    /** Where each key outside the list is in `keys` and `values`. */
    #slots: Map<Value, number> | undefined = undefined
    #keys: Value[] = []
    #values: Value[] = []
    #used = 0

    get(key: Value): Value {
      if (typeof key === 'number' && key > 0 && key <= this.list.length && Number.isInteger(key)) {
        return this.list[key - 1]
      }
      if (!this.#slots) return undefined
      const slot = this.#slots.get(normal(key))
      return slot === undefined ? undefined : this.#values[slot]
    }

    set(given: Value, value: Value): void {
      const key = normal(given)
      const { list } = this
      if (typeof key === 'number' && key > 0 && key <= list.length && Number.isInteger(key)) {
        list[key - 1] = value
        if (value === undefined && key === list.length) this.#shorten()
      } else if (key === list.length + 1 && value !== undefined) {
        list.push(value)
        lua.charge(16)
        if (this.#used > 0) this.#gather(key)
      } else this.#put(key, value)
    }

    after(given: Value): readonly [Value, Value] | undefined {
      const key = normal(given)
      let slot = 0
      if (key === undefined) return this.#inList(0)
      if (typeof key === 'number' && key > 0 && key <= this.list.length && Number.isInteger(key)) {
        return this.#inList(key)
      }
      const found = this.#slots?.get(key)
      // The list may have got shorter under whoever walks through it.
      if (found === undefined && typeof key !== 'number') lua.fail(`invalid key to 'next'`)
      slot = found === undefined ? 0 : found + 1
      return this.#inSlots(slot)
    }

    #inList(from: number): readonly [Value, Value] | undefined {
      for (let index = from; index < this.list.length; index += 1) {
        if (this.list[index] !== undefined) return [index + 1, this.list[index]]
      }
      return this.#inSlots(0)
    }

    #inSlots(from: number): readonly [Value, Value] | undefined {
      for (let slot = from; slot < this.#keys.length; slot += 1) {
        if (this.#values[slot] !== undefined) return [outward(this.#keys[slot]), this.#values[slot]]
      }
      return undefined
    }

    #shorten(): void {
      while (this.list.length > 0 && this.list.at(-1) === undefined) this.list.pop()
    }

    #put(key: Value, value: Value): void {
      const slot = this.#slots?.get(key)
      if (slot !== undefined) {
        if ((this.#values[slot] === undefined) !== (value === undefined))
          this.#used += value === undefined ? -1 : 1
        this.#values[slot] = value
        return
      }
      if (value === undefined) return
      // A key that went stays in its place, so that a walk can go on from it, until a new one comes.
      if (this.#keys.length > 32 && this.#used * 2 < this.#keys.length) this.#sweep()
      this.#slots ??= new Map()
      this.#slots.set(key, this.#keys.length)
      this.#keys.push(key)
      this.#values.push(value)
      this.#used += 1
      lua.charge(80)
    }

    #sweep(): void {
      const kept = this.#keys.flatMap((key, slot) => (this.#values[slot] === undefined ? [] : [slot]))
      this.#keys = kept.map((slot) => this.#keys[slot])
      this.#values = kept.map((slot) => this.#values[slot])
      this.#slots = new Map(this.#keys.map((key, slot) => [key, slot]))
    }

    /** Values that waited outside the list for the ones before them. */
    #gather(last: number): void {
      this.#put(last, undefined)
      for (let next = last + 1; ; next += 1) {
        const value = this.get(next)
        if (value === undefined) return
        this.#put(next, undefined)
        this.list.push(value)
      }
    }
  }

  /** A float that is a whole number is the same key as the integer. */
  function normal(key: Value): Value {
    if (typeof key === 'number' && Number.isInteger(key)) return key + 0
    if (!(key instanceof Float)) return key
    if (Number.isSafeInteger(key.whole)) return key.whole + 0
    return Math.abs(key.whole) < 2 ** 63 ? BigInt(key.whole) : key.whole
  }

  function outward(key: Value): Value {
    return typeof key === 'number' && Number.isInteger(key) && !Number.isSafeInteger(key)
      ? new Float(key)
      : key
  }

  class Raised extends Error {
    readonly value: Value
    constructor(value: Value) {
      super()
      this.value = value
    }
  }

  class Limit extends Error {
    readonly what: 'memory' | 'time'
    constructor(what: 'memory' | 'time') {
      super()
      this.what = what
    }
  }

  const names = new WeakMap<object, string>()
  let named = 0
  /** Addresses would change from run to run; numbers in the order of asking do not. */
  const address = (value: object): string => {
    const known = names.get(value)
    if (known !== undefined) return known
    const made = `0x${String((named += 1)).padStart(8, '0')}`
    names.set(value, made)
    return made
  }

  Error.stackTraceLimit = 0
  Object.assign(lua, { Table, Float, Raised, Limit, places: [{ chunk: '', line: 0, left: '', right: '' }] })
  Object.assign(lua, { calls: [], depth: 0, answers: new WeakSet(), helpers: Object.create(null) as object })
  lua.stringMeta = new lua.Table()
  lua.globals = new lua.Table()

  lua.type = (value) => {
    if (value === undefined) return 'nil'
    if (lua.numbers.isNumber(value)) return 'number'
    if (value instanceof Table) return 'table'
    return typeof value
  }
  lua.truth = (value) => value !== undefined && value !== false
  lua.metamethod = (value, name) => {
    if (value instanceof Table) return value.metatable?.get(name)
    return typeof value === 'string' ? lua.stringMeta.get(name) : undefined
  }
  lua.toText = (value) => {
    const own = lua.metamethod(value, '__tostring')
    if (own !== undefined) {
      const [text] = lua.invoke(own, value)
      if (typeof text === 'string') return text
      if (lua.numbers.isNumber(text)) return lua.numbers.toText(text)
      return lua.fail(`'__tostring' must return a string`)
    }
    if (typeof value === 'string') return value
    if (lua.numbers.isNumber(value)) return lua.numbers.toText(value)
    if (value instanceof Table) {
      const name = lua.metamethod(value, '__name')
      return `${typeof name === 'string' ? name : 'table'}: ${address(value)}`
    }
    if (typeof value === 'function')
      return `${value.definedAt === undefined ? 'builtin' : 'function'}: ${address(value)}`
    if (typeof value === 'boolean') return value ? 'true' : 'false'
    return 'nil'
  }
  lua.library = (functions) => {
    const table = new lua.Table()
    for (const [name, value] of Object.entries(functions)) table.set(name, value)
    return table
  }
}
