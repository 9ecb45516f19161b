import type { Float, Lua, Numbers } from './lua.ts'

/** Lua's integers and floats on JavaScript's numbers and bigints. Part of the context; stands alone. */
export function addNumbers(lua: Lua): void {
  const decimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/
  const digitsOnly = /^[-+]?\d+$/
  const hexadecimal = /^([-+]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([-+]?\d+))?$/
  const beyond = 2n ** 63n
  /** Digits that JavaScript writes at most; all that a double has where halves can be. */
  const most = 100

  const numbers: Numbers = {
    isNumber: (value): value is number | bigint | Float =>
      typeof value === 'number' || typeof value === 'bigint' || value instanceof lua.Float,
    isFloat: (value) => value instanceof lua.Float || (typeof value === 'number' && !Number.isInteger(value)),
    float: (value) => (Number.isInteger(value) ? new lua.Float(value) : value),
    integer(value) {
      const wrapped = BigInt.asIntN(64, value)
      const small = Number(wrapped)
      return Number.isSafeInteger(small) ? small : wrapped
    },
    plain: (value) => (value instanceof lua.Float ? value.whole : value),
    from(value) {
      if (numbers.isNumber(value)) return value
      return typeof value === 'string'
        ? parse(value.replace(/^[ \f\n\r\t\v]+|[ \f\n\r\t\v]+$/g, ''))
        : undefined
    },
    whole(value) {
      const number = numbers.from(value)
      if (!(number instanceof lua.Float)) {
        return typeof number === 'number' && !Number.isInteger(number) ? undefined : number
      }
      const { whole } = number
      if (Number.isSafeInteger(whole)) return whole + 0
      return whole >= -(2 ** 63) && whole < 2 ** 63 ? numbers.integer(BigInt(whole)) : undefined
    },
    toText(value) {
      if (!numbers.isFloat(value)) return numbers.plain(value).toString()
      const text = numbers.general(Number(numbers.plain(value)), 14, false)
      return /^-?\d+$/.test(text) ? `${text}.0` : text
    },
    fixed: (value, digits) => toEven(value.toFixed(most), digits) ?? value.toFixed(digits),
    scientific(value, digits) {
      const [mantissa = '', power] = value.toExponential(most).split('e')
      const even = toEven(mantissa, digits)
      return even === undefined ? value.toExponential(digits) : `${even}e${power}`
    },
    general(value, digits, alternate) {
      if (!Number.isFinite(value)) return endless(value)
      const precision = digits === 0 ? 1 : digits
      const [mantissa = '', exponent = ''] = numbers.scientific(value, precision - 1).split('e')
      const power = Number(exponent)
      const sign = Object.is(value, -0) ? '-' : ''
      if (power < -4 || power >= precision) {
        const full = mantissa.includes('.') ? mantissa : `${mantissa}.`
        const short = alternate ? full : trimmed(mantissa)
        return `${sign}${short}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
      }
      const fixed = numbers.fixed(value, Math.min(100, precision - 1 - power))
      if (!alternate) return sign + trimmed(fixed)
      return sign + (fixed.includes('.') ? fixed : `${fixed}.`)
    },
  }

  /** The digits that are kept, if what is cut off is exactly a half and the last one kept is even. */
  function toEven(exact: string, digits: number): string | undefined {
    const end = exact.indexOf('.') + 1 + digits
    if (!/^50*$/.test(exact.slice(end))) return undefined
    const kept = digits === 0 ? exact.slice(0, end - 1) : exact.slice(0, end)
    return Number(kept.at(-1)) % 2 === 0 ? kept : undefined
  }

  const trimmed = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

  function endless(value: number): string {
    if (Number.isNaN(value)) return 'nan'
    return value > 0 ? 'inf' : '-inf'
  }

  function parse(text: string): number | bigint | Float | undefined {
    if (digitsOnly.test(text)) {
      if (text.length < 16) return Number(text) + 0
      const exact = BigInt(text.replace(/^\+/, ''))
      return exact < beyond && exact >= -beyond ? numbers.integer(exact) : numbers.float(Number(text))
    }
    if (decimal.test(text)) return numbers.float(Number(text))
    const hex = hexadecimal.exec(text)
    return hex ? parseHex(hex) : undefined
  }

  function parseHex([, sign, head = '', tail, power]: RegExpExecArray): number | bigint | Float | undefined {
    if (head === '' && (tail ?? '') === '') return undefined
    const digits = BigInt(`0x${head}${tail ?? ''}`)
    const signed = sign === '-' ? -digits : digits
    if (tail === undefined && power === undefined) return numbers.integer(signed)
    return numbers.float(Number(signed) * 2 ** (Number(power ?? 0) - 4 * (tail ?? '').length))
  }

  lua.numbers = numbers
}
