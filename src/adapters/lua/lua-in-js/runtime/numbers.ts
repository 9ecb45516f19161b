import type { Float, Lua, Numbers } from './lua.ts'

/** Lua's integers and floats on JavaScript's numbers and bigints. Part of the context; stands alone. */
export function addNumbers(lua: Lua): void {
  const decimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/
  const digitsOnly = /^[-+]?\d+$/
  const hexadecimal = /^([-+]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([-+]?\d+))?$/
  const most = 2n ** 63n

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
    general(value, digits, alternate) {
      if (!Number.isFinite(value)) return endless(value)
      const precision = digits === 0 ? 1 : digits
      const [mantissa = '', exponent = ''] = value.toExponential(precision - 1).split('e')
      const power = Number(exponent)
      const sign = Object.is(value, -0) ? '-' : ''
      if (power < -4 || power >= precision) {
        const short = alternate ? mantissa : trimmed(mantissa)
        return `${sign}${short}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
      }
      const fixed = value.toFixed(Math.min(100, precision - 1 - power))
      return sign + (alternate ? fixed : trimmed(fixed))
    },
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
      return exact < most && exact >= -most ? numbers.integer(exact) : numbers.float(Number(text))
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
