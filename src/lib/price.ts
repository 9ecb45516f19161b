/**
 * What a model's tokens cost, in whole 10^-12 of a currency unit a token: that is the same as millionths of a unit per
 * million tokens, so that a price with six digits after the point is exact. Which currency it is, only the config knows.
 */
export interface Price {
  readonly input: number
  /** Of the input, what the provider had cached. */
  readonly cached: number
  readonly output: number
}

/** Tokens to be paid for; `cached` is a part of `input`. */
interface Tokens {
  readonly input: number
  readonly cached?: number
  readonly output: number
}

/** Digits after the point that an amount has. */
const AMOUNT_DIGITS = 12
/** Digits after the point that people are shown, at least and at most. */
const MIN_SHOWN_DIGITS = 2
const MAX_SHOWN_DIGITS = 4

/** The most that a price in the config may be, per million tokens. Above it, its millionths would not be exact. */
export const MAX_PRICE = 1_000_000_000

/** A price per million tokens in millionths; undefined where it has more than six digits after the point. */
export function millionths(price: number): number | undefined {
  const whole = Math.round(price * 1e6)
  return whole / 1e6 === price ? whole : undefined
}

/** What these tokens cost, in 10^-12 of a currency unit. Exact, because nothing is divided. */
export const costOf = ({ input, cached = 0, output }: Tokens, price: Price): bigint =>
  BigInt(input - cached) * BigInt(price.input) +
  BigInt(cached) * BigInt(price.cached) +
  BigInt(output) * BigInt(price.output)

/** An amount with all its digits, for programs: `0.0123`. */
export const exactAmount = (cost: bigint): string => decimal(cost, AMOUNT_DIGITS).replace(/\.?0+$/, '')

/** What `exactAmount` gave, read again. */
export function readAmount(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(AMOUNT_DIGITS, '0'))
}

/** An amount for people, rounded: `1.20`, `0.0123`, `<0.0001`. */
export function shownAmount(cost: bigint): string {
  const step = 10n ** BigInt(AMOUNT_DIGITS - MAX_SHOWN_DIGITS)
  if (cost > 0n && cost < step) return `<${decimal(1n, MAX_SHOWN_DIGITS)}`
  const rounded = decimal((cost + step / 2n) / step, MAX_SHOWN_DIGITS)
  const most = MAX_SHOWN_DIGITS - MIN_SHOWN_DIGITS
  return rounded.replace(new RegExp(`0{1,${most}}$`), '')
}

/** A whole number with its point moved by so many digits. */
function decimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
