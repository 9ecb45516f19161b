import type { Float, Lua, Value } from './lua.ts'

/** Operators on numbers, and what they say to anything else. Part of the context; stands alone. */
export function addArithmetic(lua: Lua): void {
  type Num = number | bigint | Float
  const { numbers } = lua
  const { integer, float } = numbers
  const real = (value: Num): number => Number(numbers.plain(value))
  const isSmall = (value: Num): value is number => typeof value === 'number' && Number.isInteger(value)

  /** Integers stay integers while they are exact in JavaScript; beyond it they are counted in 64 bits. */
  const exact =
    (
      small: (a: number, b: number) => number,
      big: (a: bigint, b: bigint) => bigint,
      inexact: (a: number, b: number) => number,
    ) =>
    (a: Num, b: Num): Num => {
      if (numbers.isFloat(a) || numbers.isFloat(b)) return float(inexact(real(a), real(b)))
      if (isSmall(a) && isSmall(b)) {
        const result = small(a, b)
        if (Number.isSafeInteger(result)) return result + 0
      }
      return integer(big(BigInt(a as number | bigint), BigInt(b as number | bigint)))
    }

  const floorDivision = (a: bigint, b: bigint): bigint => {
    const quotient = a / b
    return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
  }
  const modulo = (a: number, b: number): number => {
    if (!Number.isFinite(b) && Number.isFinite(a)) return a === 0 || a > 0 === b > 0 ? a : b
    const rest = a % b
    return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest
  }
  const nonZero =
    (message: string, operation: (a: Num, b: Num) => Num) =>
    (a: Num, b: Num, place: number): Num => {
      if (b === 0 && !numbers.isFloat(a)) lua.failAt(place, message)
      return operation(a, b)
    }

  const operations: Readonly<Record<string, (a: Num, b: Num, place: number) => Num>> = {
    add: exact(
      (a, b) => a + b,
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    sub: exact(
      (a, b) => a - b,
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    mul: exact(
      (a, b) => a * b,
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    div: (a, b) => float(real(a) / real(b)),
    pow: (a, b) => float(real(a) ** real(b)),
    idiv: nonZero(
      'attempt to divide by zero',
      exact(
        (a, b) => (a - modulo(a, b)) / b,
        floorDivision,
        (a, b) => Math.floor(a / b),
      ),
    ),
    mod: nonZero(
      `attempt to perform 'n%0'`,
      exact(modulo, (a, b) => a - floorDivision(a, b) * b, modulo),
    ),
    unm: (a) => (numbers.isFloat(a) ? float(-real(a)) : integer(-BigInt(a as number | bigint))),
  }

  const shifted = (a: bigint, by: bigint): bigint => {
    if (by <= -64n || by >= 64n) return 0n
    const bits = BigInt.asUintN(64, a)
    return by < 0n ? bits >> -by : bits << by
  }
  const bitwise: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
    band: (a, b) => a & b,
    bor: (a, b) => a | b,
    bxor: (a, b) => a ^ b,
    shl: shifted,
    shr: (a, b) => shifted(a, -b),
    bnot: (a) => ~a,
  }

  /** Unlike a sum, bits are not taken from a text that says a number. */
  const bitsOf = (value: Value): number | bigint | undefined =>
    typeof value === 'string' ? undefined : numbers.whole(value)

  lua.arithmetic = (name, place, a, b) => {
    const operation = operations[name]
    const [left, right] = operation ? [numbers.from(a), numbers.from(b)] : [bitsOf(a), bitsOf(b)]
    if (left !== undefined && right !== undefined) {
      if (operation) return operation(left, right, place)
      return integer(bitwise[name]!(BigInt(left as number | bigint), BigInt(right as number | bigint)))
    }
    const own = lua.metamethod(a, `__${name}`) ?? lua.metamethod(b, `__${name}`)
    if (own !== undefined) return lua.invoke(own, a, b)[0]
    return operation ? refuse(name, place, a, b) : refuseBits(place, a, b)
  }

  function refuse(name: string, place: number, a: Value, b: Value): never {
    const { left, right } = lua.places[place]!
    if (typeof a === 'string' || typeof b === 'string') {
      return lua.failAt(place, `attempt to ${name} a '${lua.type(a)}' with a '${lua.type(b)}'`)
    }
    const isSecond = numbers.from(a) !== undefined
    return lua.failAt(
      place,
      `attempt to perform arithmetic on a ${lua.type(isSecond ? b : a)} value${named(isSecond ? right : left)}`,
    )
  }

  function refuseBits(place: number, a: Value, b: Value): never {
    const { left, right } = lua.places[place]!
    const isSecond = numbers.isNumber(a)
    if (numbers.isNumber(a) && numbers.isNumber(b)) {
      const guilty = named(numbers.whole(a) === undefined ? left : right)
      return lua.failAt(place, `number${guilty} has no integer representation`)
    }
    return lua.failAt(
      place,
      `attempt to perform bitwise operation on a ${lua.type(isSecond ? b : a)} value${named(isSecond ? right : left)}`,
    )
  }

  const named = (name: string): string => (name === '' ? '' : ` (${name})`)
}
