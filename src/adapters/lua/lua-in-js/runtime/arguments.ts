import type { Lua, Value } from './lua.ts'

/** What library functions may be given. Part of the context; stands alone. */
export function addArguments(lua: Lua): void {
  const { numbers } = lua
  const typeAt = (args: readonly Value[], index: number): string =>
    index > args.length ? 'no value' : lua.type(args[index - 1])
  const refuse = (args: readonly Value[], index: number, expected: string): never =>
    lua.badArgument(index, `${expected} expected, got ${typeAt(args, index)}`)

  lua.check = {
    text(args, index) {
      const value = args[index - 1]
      if (typeof value === 'string') return value
      return numbers.isNumber(value) ? numbers.toText(value) : refuse(args, index, 'string')
    },
    integer(args, index, otherwise) {
      const value = args[index - 1]
      if (value === undefined && otherwise !== undefined) return otherwise
      const whole = numbers.whole(value)
      if (whole !== undefined) return Number(whole)
      if (numbers.from(value) === undefined) return refuse(args, index, 'number')
      return lua.badArgument(index, 'number has no integer representation')
    },
    number(args, index) {
      const number = numbers.from(args[index - 1])
      return number === undefined ? refuse(args, index, 'number') : Number(numbers.plain(number))
    },
    table(args, index) {
      const value = args[index - 1]
      return value instanceof lua.Table ? value : refuse(args, index, 'table')
    },
    any(args, index) {
      return index > args.length ? lua.badArgument(index, 'value expected') : args[index - 1]
    },
  }
}
