import { ArgumentError } from '../../arguments.ts'

/** A Python number: an `int` is a bigint and exact, a `float` is a double. */
export type Numeric = bigint | number

export class CalculationError extends ArgumentError {}

/** Python's limit for printing an integer (`sys.int_info`). */
export const MAX_DIGITS = 4300
const MAX_BITS = Math.ceil(MAX_DIGITS * Math.log2(10))

/** Throws `CalculationError` if the value is too large. */
export function checkSize(value: bigint): bigint {
  if (bitLength(value) > MAX_BITS) throw tooLarge()
  return value
}

const tooLarge = (): CalculationError =>
  new CalculationError(`the result is too large (integers have at most ${MAX_DIGITS} digits)`)

/** Converts to a double. Throws for integers beyond its range, as Python does. */
export function toFloat(value: Numeric): number {
  const float = Number(value)
  if (typeof value === 'bigint' && !Number.isFinite(float)) {
    throw new CalculationError('the integer is too large for a floating-point number')
  }
  return float
}

const isInteger = (value: Numeric): value is bigint => typeof value === 'bigint'

// An operation with a float operand gives a float.

export const add = (a: Numeric, b: Numeric): Numeric =>
  isInteger(a) && isInteger(b) ? checkSize(a + b) : toFloat(a) + toFloat(b)

export const subtract = (a: Numeric, b: Numeric): Numeric =>
  isInteger(a) && isInteger(b) ? checkSize(a - b) : toFloat(a) - toFloat(b)

export const multiply = (a: Numeric, b: Numeric): Numeric =>
  isInteger(a) && isInteger(b) ? checkSize(a * b) : toFloat(a) * toFloat(b)

/** `/`: always a float. */
export function divide(a: Numeric, b: Numeric): number {
  refuseZero(b)
  return toFloat(a) / toFloat(b)
}

/** `//`: rounds towards minus infinity. */
export function floorDivide(a: Numeric, b: Numeric): Numeric {
  refuseZero(b)
  if (isInteger(a) && isInteger(b)) return checkSize((a - exactModulo(a, b)) / b)
  return floatDivmod(toFloat(a), toFloat(b)).quotient
}

/** `%`: has the sign of the divisor. */
export function modulo(a: Numeric, b: Numeric): Numeric {
  refuseZero(b)
  if (isInteger(a) && isInteger(b)) return exactModulo(a, b)
  return floatDivmod(toFloat(a), toFloat(b)).remainder
}

/** `**`: exact for integers with an exponent of 0 or more, else a float. */
export function power(base: Numeric, exponent: Numeric): Numeric {
  if (exponent >= 0 && isInteger(base) && isInteger(exponent)) return checkSize(exactPower(base, exponent))
  return floatPower(toFloat(base), toFloat(exponent))
}

export const negate = (value: Numeric): Numeric => -value

function refuseZero(divisor: Numeric): void {
  if (Number(divisor) === 0) throw new CalculationError('division by zero')
}

function exactModulo(a: bigint, b: bigint): bigint {
  const remainder = a % b
  return remainder !== 0n && remainder < 0n !== b < 0n ? remainder + b : remainder
}

/** Follows CPython's `float_divmod`, whose quotient is not always `floor(a / b)`. */
function floatDivmod(a: number, b: number): { quotient: number; remainder: number } {
  let remainder = a % b
  let quotient = (a - remainder) / b
  if (remainder !== 0 && remainder < 0 !== b < 0) {
    remainder += b
    quotient -= 1
  }
  const floor = Math.floor(quotient)
  return { quotient: quotient - floor > 0.5 ? floor + 1 : floor, remainder }
}

function exactPower(base: bigint, exponent: bigint): bigint {
  const small = base >= -1n && base <= 1n
  if (!small && exponent * BigInt(bitLength(base) - 1) > BigInt(MAX_BITS)) throw tooLarge()
  if (small) return exponent === 0n ? 1n : base === -1n && exponent % 2n === 0n ? 1n : base
  return base ** exponent
}

function floatPower(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw new CalculationError('zero cannot be raised to a negative power')
  if (base < 0 && Number.isFinite(base) && Number.isFinite(exponent) && !Number.isInteger(exponent)) {
    throw new CalculationError('a negative number to a fractional power is not a real number')
  }
  if (base === 1) return 1
  if (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)) return 1
  return finite(base ** exponent, base, exponent)
}

/** Throws if finite operands give infinity, as Python does. */
export function finite(result: number, ...operands: readonly number[]): number {
  if (!Number.isFinite(result) && operands.every((operand) => Number.isFinite(operand))) {
    throw new CalculationError('the result is too large for a floating-point number')
  }
  return result
}

/** Bits of the absolute value. */
export function bitLength(value: bigint): number {
  const hex = (value < 0n ? -value : value).toString(16)
  return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0] ?? '0', 16)))
}
