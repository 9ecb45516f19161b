import type { Float, Lua, Value } from './lua.ts'

/** The math and utf8 libraries. Part of the context; stands alone. */
export function addMath(lua: Lua): void {
  const { check, numbers } = lua
  type Num = number | bigint | Float
  const real =
    (f: (value: number) => number) =>
    (...args: Value[]): Value[] => [numbers.float(f(check.number(args, 1)))]
  const numberAt = (args: readonly Value[], index: number): Num => {
    const value = check.number(args, index)
    const given = args[index - 1]
    // A text that says an integer is a float here.
    return numbers.isNumber(given) ? given : numbers.float(value)
  }
  const whole = (value: number): Num => {
    const float = numbers.float(value)
    return (numbers.whole(float) as Num | undefined) ?? float
  }
  const rounded =
    (f: (value: number) => number) =>
    (...args: Value[]): Value[] => {
      const value = numberAt(args, 1)
      return [numbers.isFloat(value) ? whole(f(Number(numbers.plain(value)))) : value]
    }
  const best =
    (isBetter: (a: Value, b: Value) => boolean) =>
    (...args: Value[]): Value[] => {
      check.any(args, 1)
      return [
        args.reduce(
          (found, _, index) =>
            isBetter(numberAt(args, index + 1), found) ? numberAt(args, index + 1) : found,
          numberAt(args, 1),
        ),
      ]
    }

  function fmod(...args: Value[]): Value[] {
    const [a, b] = [numberAt(args, 1), numberAt(args, 2)]
    if (numbers.isFloat(a) || numbers.isFloat(b))
      return [numbers.float(Number(numbers.plain(a)) % Number(numbers.plain(b)))]
    if (b === 0) return lua.badArgument(2, 'zero')
    return [numbers.integer(BigInt(a as number | bigint) % BigInt(b as number | bigint))]
  }

  let seed = 0x2545f491
  const random01 = (): number => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  function random(...args: Value[]): Value[] {
    if (args.length === 0) return [numbers.float(random01())]
    const [low, high] =
      args.length === 1 ? [1, check.integer(args, 1)] : [check.integer(args, 1), check.integer(args, 2)]
    if (low > high) return lua.badArgument(1, 'interval is empty')
    return [low + Math.floor(random01() * (high - low + 1))]
  }

  const abs = (...args: Value[]): Value[] => {
    const value = numberAt(args, 1)
    if (numbers.isFloat(value)) return [numbers.float(Math.abs(Number(numbers.plain(value))))]
    return [lua.less(0, value, 0) ? lua.arithmetic('unm', 0, value, value) : value]
  }
  const log = (...args: Value[]): Value[] => {
    const value = check.number(args, 1)
    if (args[1] === undefined) return [numbers.float(Math.log(value))]
    const base = check.number(args, 2)
    if (base === 2) return [numbers.float(Math.log2(value))]
    if (base === 10) return [numbers.float(Math.log10(value))]
    return [numbers.float(Math.log(value) / Math.log(base))]
  }

  const math = lua.library({
    abs,
    ceil: rounded(Math.ceil),
    floor: rounded(Math.floor),
    sqrt: real(Math.sqrt),
    sin: real(Math.sin),
    cos: real(Math.cos),
    tan: real(Math.tan),
    asin: real(Math.asin),
    acos: real(Math.acos),
    atan: (...args) => [
      numbers.float(Math.atan2(check.number(args, 1), args[1] === undefined ? 1 : check.number(args, 2))),
    ],
    exp: real(Math.exp),
    deg: real((value) => value * (180 / Math.PI)),
    rad: real((value) => value * (Math.PI / 180)),
    log,
    fmod,
    modf(...args) {
      const value = check.number(args, 1)
      const head = Math.trunc(value)
      return [whole(head), numbers.float(Number.isFinite(value) ? value - head : 0)]
    },
    max: best((a, b) => lua.less(0, b, a)),
    min: best((a, b) => lua.less(0, a, b)),
    random,
    randomseed(...args) {
      seed = args.length > 0 ? Math.trunc(check.number(args, 1)) | 0 : 0
      return []
    },
    tointeger: (...args) => [
      typeof args[0] === 'string' ? numbers.whole(args[0]) : numbers.whole(check.any(args, 1)),
    ],
    type(...args) {
      const value = check.any(args, 1)
      if (!numbers.isNumber(value)) return [undefined]
      return [numbers.isFloat(value) ? 'float' : 'integer']
    },
    ult: (...args) => [
      BigInt.asUintN(64, BigInt(check.integer(args, 1))) < BigInt.asUintN(64, BigInt(check.integer(args, 2))),
    ],
  })
  math.set('pi', Math.PI)
  math.set('huge', Infinity)
  math.set('maxinteger', numbers.integer(2n ** 63n - 1n))
  math.set('mininteger', numbers.integer(-(2n ** 63n)))
  lua.globals.set('math', math)
}
