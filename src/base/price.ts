/** A token's price in 10^-12 of the config's currency: millionths per million tokens, six exact decimals. */
export interface Price {
  readonly input: number
  readonly cached: number
  readonly output: number
}

interface Tokens {
  readonly input: number
  readonly cached?: number
  readonly output: number
}

const AMOUNT_DIGITS = 12
const MIN_SHOWN_DIGITS = 2
const MAX_SHOWN_DIGITS = 4

/** The limit per million tokens, above which millionths are not exact. */
export const MAX_PRICE = 1_000_000_000

/** Returns undefined for more than six decimals. */
export function millionths(price: number): number | undefined {
  const whole = Math.round(price * 1e6)
  return whole / 1e6 === price ? whole : undefined
}

/** Returns the cost in 10^-12 of a currency unit, exact because nothing is divided. */
export const costOf = ({ input, cached = 0, output }: Tokens, price: Price): bigint =>
  BigInt(input - cached) * BigInt(price.input) +
  BigInt(cached) * BigInt(price.cached) +
  BigInt(output) * BigInt(price.output)

/** Formats all digits, for programs: `0.0123`. */
export const exactAmount = (cost: bigint): string => decimal(cost, AMOUNT_DIGITS).replace(/\.?0+$/, '')

/** Parses the output of `exactAmount`. */
export function readAmount(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(AMOUNT_DIGITS, '0'))
}

/** Formats a rounded amount for people: `1.20`, `0.0123`, `<0.0001`. */
export function shownAmount(cost: bigint): string {
  const step = 10n ** BigInt(AMOUNT_DIGITS - MAX_SHOWN_DIGITS)
  if (cost > 0n && cost < step) return `<${decimal(1n, MAX_SHOWN_DIGITS)}`
  const rounded = decimal((cost + step / 2n) / step, MAX_SHOWN_DIGITS)
  const most = MAX_SHOWN_DIGITS - MIN_SHOWN_DIGITS
  return rounded.replace(new RegExp(`0{1,${most}}$`), '')
}

/** Formats an integer with its decimal point moved left by `digits`. */
function decimal(value: bigint, digits: number): string {
  const text = String(value).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
