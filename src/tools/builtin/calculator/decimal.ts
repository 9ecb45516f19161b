import { CalculationError, type Numeric } from './numbers.ts'

/** Formats as Python's `f"{x:.6f}"`, ties to even (`toFixed` rounds ties away from zero, fails at 1e21). */
export function toDecimal(x: number, places: number): string {
  const digits = scaled(x, places).toString()
  const negative = digits.startsWith('-')
  const padded = (negative ? digits.slice(1) : digits).padStart(places + 1, '0')
  const point = padded.length - places
  const text = places > 0 ? `${padded.slice(0, point)}.${padded.slice(point)}` : padded
  return negative ? `-${text}` : text
}

/** Rounds a float as Python's `round(x, places)`. */
export function roundToPlaces(x: number, places: number): number {
  if (!Number.isFinite(x) || x === 0 || places > 323) return x
  return places >= 0 ? Number(toDecimal(x, places)) : Number(scaled(x, places)) * 10 ** -places
}

/** Rounds as Python's `round(x)`, and `round(n, places)` of an integer, ties to even. */
export function roundToInteger(x: Numeric, places: number): bigint {
  if (typeof x === 'number') {
    if (!Number.isFinite(x)) throw new CalculationError(`${x} cannot be made an integer`)
    return scaled(x, 0)
  }
  if (places >= 0) return x
  const unit = 10n ** BigInt(-places)
  return divideToEven(x, unit) * unit
}

/** Returns `x · 10^places` as the nearest integer, ties to even. */
function scaled(x: number, places: number): bigint {
  const { mantissa, exponent } = decompose(x)
  const ten = 10n ** BigInt(Math.abs(places))
  const two = 1n << BigInt(Math.abs(exponent))
  const numerator = mantissa * (places >= 0 ? ten : 1n) * (exponent >= 0 ? two : 1n)
  const denominator = (places >= 0 ? 1n : ten) * (exponent >= 0 ? 1n : two)
  return divideToEven(numerator, denominator)
}

function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator
  const quotient = magnitude / denominator
  const twice = (magnitude % denominator) * 2n
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n)
  const rounded = up ? quotient + 1n : quotient
  return numerator < 0n ? -rounded : rounded
}

/** Splits exactly into `mantissa · 2^exponent` (IEEE 754 binary64). */
function decompose(x: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const stored = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xf_ffff_ffff_ffffn
  const magnitude = stored === 0 ? fraction : fraction | (1n << 52n)
  return { mantissa: x < 0 ? -magnitude : magnitude, exponent: Math.max(stored, 1) - 1075 }
}
