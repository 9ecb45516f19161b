import { bitLength, CalculationError, checkSize, finite, power, toFloat, type Numeric } from './numbers.ts'
import { roundToPlaces, roundToInteger } from './decimal.ts'

interface Signature {
  /** The number of arguments. */
  readonly min: number
  readonly max: number
  readonly evaluate: (...args: readonly Numeric[]) => Numeric
}

export const FUNCTIONS: ReadonlyMap<string, Signature> = new Map<string, Signature>([
  ['abs', exactly(1, (x) => (x < 0 ? -x : x))],
  ['round', between(1, 2, round)],
  ['min', between(2, Infinity, (...xs) => xs.reduce((least, x) => (x < least ? x : least)))],
  ['max', between(2, Infinity, (...xs) => xs.reduce((most, x) => (x > most ? x : most)))],
  ['pow', exactly(2, (base, exponent) => power(base, exponent))],
  ['floor', exactly(1, (x) => whole(x, Math.floor))],
  ['ceil', exactly(1, (x) => whole(x, Math.ceil))],
  ['trunc', exactly(1, (x) => whole(x, Math.trunc))],
  ['factorial', exactly(1, (n) => factorial(integer('factorial', n)))],
  ['gcd', between(0, Infinity, (...xs) => xs.map((x) => integer('gcd', x)).reduce(gcd, 0n))],
  ['log', between(1, 2, log)],
  ['log2', exactly(1, (x) => logarithm(x) / Math.LN2)],
  ['log10', exactly(1, log10)],
  ['hypot', between(0, Infinity, (...xs) => Math.hypot(...xs.map(toFloat)))],
  ['atan2', exactly(2, (y, x) => Math.atan2(toFloat(y), toFloat(x)))],
  ['degrees', real((x) => (x * 180) / Math.PI)],
  ['radians', real((x) => (x * Math.PI) / 180)],
  ['exp', real((x) => finite(Math.exp(x), x))],
  ['sinh', real((x) => finite(Math.sinh(x), x))],
  ['cosh', real((x) => finite(Math.cosh(x), x))],
  ...(['sqrt', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'tanh'] as const).map(
    (name): [string, Signature] => [name, real((x) => inDomain(name, x, Math[name](x)))],
  ),
])

export const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
  ['inf', Infinity],
  ['nan', NaN],
])

/** Throws `CalculationError`. */
export function call(name: string, args: readonly Numeric[]): Numeric {
  const signature = FUNCTIONS.get(name)
  if (!signature) {
    throw new CalculationError(`unknown function '${name}'; there are ${[...FUNCTIONS.keys()].join(', ')}`)
  }
  const { min, max } = signature
  if (args.length < min || args.length > max) {
    throw new CalculationError(`${name} takes ${arity(min, max)}, got ${args.length}`)
  }
  return signature.evaluate(...args)
}

function arity(min: number, max: number): string {
  if (min === max) return min === 1 ? '1 argument' : `${min} arguments`
  return max === Infinity ? `at least ${min} arguments` : `${min} or ${max} arguments`
}

function between(min: number, max: number, evaluate: Signature['evaluate']): Signature {
  return { min, max, evaluate }
}

function exactly(count: number, evaluate: Signature['evaluate']): Signature {
  return between(count, count, evaluate)
}

function real(evaluate: (x: number) => number): Signature {
  return exactly(1, (x) => evaluate(toFloat(x)))
}

function inDomain(name: string, x: number, result: number): number {
  if (Number.isNaN(result) && !Number.isNaN(x)) {
    throw new CalculationError(`${name}(${x}) is not a real number`)
  }
  return result
}

/** `round(x)` gives an integer; `round(x, places)` of a float a float. */
function round(...[x = 0n, places]: readonly Numeric[]): Numeric {
  const digits = Number(integer('round', places ?? 0n))
  if (Math.abs(digits) > 400) throw new CalculationError('round takes between -400 and 400 decimal places')
  return typeof x === 'number' && places !== undefined ? roundToPlaces(x, digits) : roundToInteger(x, digits)
}

function whole(x: Numeric, towards: (x: number) => number): bigint {
  if (typeof x === 'bigint') return x
  if (!Number.isFinite(x)) throw new CalculationError(`${x} cannot be made an integer`)
  return BigInt(towards(x))
}

function integer(name: string, value: Numeric): bigint {
  if (typeof value === 'bigint') return value
  throw new CalculationError(
    `${name} takes integers, got ${value}${Number.isInteger(value) ? ' as a float' : ''}`,
  )
}

function factorial(n: bigint): bigint {
  if (n < 0n) throw new CalculationError('factorial of a negative number')
  let product = 1n
  for (let factor = 2n; factor <= n; factor++) product = checkSize(product * factor)
  return product
}

function gcd(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}

function log(x: Numeric, base?: Numeric): number {
  if (base === undefined) return logarithm(x)
  const divisor = logarithm(base)
  if (divisor === 0) throw new CalculationError('a logarithm to the base 1 is a division by zero')
  return logarithm(x) / divisor
}

function log10(x: Numeric): number {
  const float = Number(x)
  return float > 0 && Number.isFinite(float) ? Math.log10(float) : logarithm(x) / Math.LN10
}

/** Natural logarithm, also of integers too large for a double. */
function logarithm(x: Numeric): number {
  if (x <= 0) throw new CalculationError(`a logarithm takes numbers above 0, got ${x}`)
  if (typeof x === 'number') return Math.log(x)
  const shift = Math.max(0, bitLength(x) - 60)
  return Math.log(Number(x >> BigInt(shift))) + shift * Math.LN2
}
